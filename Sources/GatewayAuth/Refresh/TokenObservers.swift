import GatewayCore

extension EventOutlets {
    /// The sinks that remove the responses of ended logins from durable stores.
    var removers: [any EndedLoginRemoving] {
        all.compactMap { $0 as? any EndedLoginRemoving }.filter(\.isDurable)
    }
}

extension TokenEnvironment {
    /// Whether anything receives events.
    var isObserved: Bool { onEvent != nil || !observers.sinks(for: .tokens).isEmpty }
}

/// The calls that are waiting for a token, counted if events are observed.
struct WaitingCalls {
    private var counts: [UInt64: Int] = [:]

    var ids: [UInt64] { Array(counts.keys) }

    mutating func enter(_ call: UInt64) { counts[call, default: 0] += 1 }

    mutating func leave(_ call: UInt64) {
        let count = counts[call, default: 0] - 1
        counts[call] = count > 0 ? count : nil
    }
}

extension TokenSlot {
    /// Reports events to the sink of an engine or a cache until it is released.
    func report(to outlet: EventOutlet) {
        environment.observers.add(outlet)
        finishEndedLogins()
    }

    /// Sends an event to all observers.
    func tell(
        _ kind: @autoclosure () -> TokenEvent.Kind, epoch: UInt64, generation: @autoclosure () -> UInt64
    ) {
        tell(kind(), of: identity(epoch: epoch), generation: generation())
    }

    /// Sends an event to all observers.
    func tell(
        _ kind: @autoclosure () -> TokenEvent.Kind, of credential: @autoclosure () -> CredentialIdentity,
        generation: @autoclosure () -> UInt64
    ) {
        let sinks = environment.observers.sinks(for: .tokens)
        guard environment.onEvent != nil || !sinks.isEmpty else { return }
        var event = TokenEvent(
            instant: environment.clock.now, credential: credential(), generation: generation(),
            waitingCalls: waitingCalls.withLock { $0.ids }, kind: kind())
        event.exchange = RefreshTrace.current?.span
        (event.label, event.isForSubjects) = (key.label, key.isOfMany)
        environment.onEvent?(event)
        for sink in sinks { sink.record(event) }
    }
}
