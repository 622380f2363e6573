/// The sinks of the engines that use something with events of its own. Engines end without notice, so that they are
/// referred to weakly.
package final class EventOutlets: Sendable {
    private struct Reference {
        weak var outlet: EventOutlet?
    }

    private let references = Locked<[Reference]>([])

    package init() {}

    /// Adds the sink of an engine, unless it was added before.
    package func add(_ outlet: EventOutlet) {
        references.withLock { references in
            references.removeAll { $0.outlet == nil }
            if !references.contains(where: { $0.outlet === outlet }) {
                references.append(Reference(outlet: outlet))
            }
        }
    }

    /// All sinks.
    package var all: [any RequestEventSink] { references.withLock { $0.compactMap { $0.outlet?.sink } } }

    /// The sinks that want events of a kind. One that several engines have is listed once.
    package func sinks(for interest: EventInterests) -> [any RequestEventSink] {
        let all = all
        guard all.count > 1 else { return all.filter { $0.interests.isSuperset(of: interest) } }
        var receivers: [any RequestEventSink] = []
        var sinks: [any RequestEventSink] = []
        for sink in all {
            let forwarding = sink as? any ForwardingEventSink
            let receiver = forwarding?.receiver ?? sink
            if !receivers.contains(where: { $0 === receiver }) {
                receivers.append(receiver)
                sinks.append(sink)
            } else if let forwarding, forwarding.receiver != nil {
                sinks.append(forwarding.withoutReceiver)
            }
        }
        return sinks.filter { $0.interests.isSuperset(of: interest) }
    }

    /// Reports events of state to the sinks that want them.
    package func record(_ events: [StateEvent]) {
        for sink in sinks(for: .state) {
            for event in events { sink.record(event) }
        }
    }
}
