/// An exchange that can go on without its caller.
package protocol AbandonableExchange: AnyObject, Sendable {
    /// Lets the caller go with an error with the code ``NetworkError/Code/abandoned``, and calls
    /// ``Abandonment/ended(_:)`` when the exchange ends. Does nothing if it has ended or was cancelled. Must not block.
    func abandon(_ abandonment: Abandonment)
}

/// A transport whose exchanges can go on without their callers. Those of other transports run in tasks of their own where
/// that may be needed.
package protocol AbandoningTransport: Transport {
    /// Whether it calls ``RequestContext/exchangeBegan(_:)`` for each exchange that waits, and
    /// ``RequestContext/exchangeEnded(_:)`` when the caller waits no more.
    var abandons: Bool { get }
}

extension AbandoningTransport {
    /// `true`.
    package var abandons: Bool { true }
}

/// What is to be done when an exchange ends that its caller no longer waits for.
///
/// Each layer that the error passes adds what it would have done with the outcome. The last one calls ``seal()``.
package final class Abandonment: Sendable {
    package typealias Outcome = Result<HTTPResponse, NetworkError>
    package typealias Step = @Sendable (inout Outcome) -> Void

    private struct State {
        var steps: [Step] = []
        var outcome: Outcome?
        var isSealed = false
    }

    private let state = Locked(State())

    package init() {}

    /// Adds what is to be done with the outcome, after what was added before.
    package func add(_ step: @escaping Step) { state.withLock { $0.steps.append(step) } }

    /// Nothing more will be added.
    package func seal() {
        change { $0.isSealed = true }
    }

    /// The exchange has ended. May be called by the thread that does the I/O.
    package func ended(_ outcome: Outcome) {
        change { $0.outcome = outcome }
    }

    /// Detached: the steps call receivers of events, and may release the transport.
    private func change(_ change: (inout State) -> Void) {
        let ready = state.withLock { state -> (steps: [Step], outcome: Outcome)? in
            change(&state)
            guard state.isSealed, let outcome = state.outcome else { return nil }
            defer { state = State() }
            return (state.steps, outcome)
        }
        guard let ready else { return }
        Task.detached {
            var outcome = ready.outcome
            for step in ready.steps { step(&outcome) }
            if case .success(let response) = outcome { response.body.discard() }
        }
    }
}

extension NetworkError.Code {
    /// The call goes on without the exchange, which ends by itself. It never leaves the layer that abandoned it.
    package static let abandoned = Self("abandoned", category: .permanent)
}

extension NetworkError {
    /// The error of the caller of an abandoned exchange.
    package static func abandoned(_ origin: Origin) -> NetworkError {
        NetworkError(.abandoned, "The call goes on without this exchange.", origin: origin)
    }
}
