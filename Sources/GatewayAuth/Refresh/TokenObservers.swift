import GatewayCore

/// The sinks of the engines that use a keeper of tokens. Engines end without notice, so that they are referred to weakly.
final class TokenObservers: Sendable {
    private struct Observer {
        weak var outlet: EventOutlet?
    }

    private let observers = Locked<[Observer]>([])

    /// Adds the sink of an engine, unless it was added before.
    func add(_ outlet: EventOutlet) {
        observers.withLock { observers in
            observers.removeAll { $0.outlet == nil }
            if !observers.contains(where: { $0.outlet === outlet }) {
                observers.append(Observer(outlet: outlet))
            }
        }
    }

    /// The sinks that remove the responses of logins that have ended from a store that outlives the process.
    var removers: [any EndedLoginRemoving] {
        observers.withLock { $0.compactMap { $0.outlet?.sink as? any EndedLoginRemoving } }
            .filter(\.isDurable)
    }

    /// The sinks that want events of tokens.
    var sinks: [any RequestEventSink] {
        observers.withLock { $0.compactMap { $0.outlet?.sink } }.filter { $0.interests.contains(.tokens) }
    }
}

extension TokenEnvironment {
    /// Whether anything receives events.
    var isObserved: Bool { onEvent != nil || !observers.sinks.isEmpty }
}

/// The calls that wait for a token, where events are observed.
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
    /// Passes events to the sink of an engine or a cache, for as long as that lives.
    func report(to outlet: EventOutlet) {
        environment.observers.add(outlet)
        finishEndedLogins()
    }

    /// Passes an event to whatever receives events.
    func tell(_ kind: TokenEvent.Kind, epoch: UInt64, generation: UInt64) {
        tell(kind, of: identity(epoch: epoch), generation: generation)
    }

    /// Passes an event to whatever receives events.
    func tell(
        _ kind: TokenEvent.Kind, of credential: @autoclosure () -> CredentialIdentity, generation: UInt64
    ) {
        let sinks = environment.observers.sinks
        guard environment.onEvent != nil || !sinks.isEmpty else { return }
        let event = TokenEvent(
            instant: environment.clock.now, credential: credential(), generation: generation,
            waitingCalls: waitingCalls.withLock { $0.ids }, kind: kind)
        environment.onEvent?(event)
        for sink in sinks { sink.record(event) }
    }
}
