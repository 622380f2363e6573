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

    /// The sinks that want events of a kind.
    package func sinks(for interest: EventInterests) -> [any RequestEventSink] {
        all.filter { $0.interests.isSuperset(of: interest) }
    }

    /// Reports events of state to the sinks that want them.
    package func record(_ events: [StateEvent]) {
        for sink in sinks(for: .state) {
            for event in events { sink.record(event) }
        }
    }
}
