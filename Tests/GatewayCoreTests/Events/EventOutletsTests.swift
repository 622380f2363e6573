import GatewayCore
import Testing

/// The sinks of engines, as what is shared by engines refers to them.
@Suite struct EventOutletsTests {
    private final class Sink: RequestEventSink {
        let interests: EventInterests
        let kinds = Locked<[StateEvent.Kind]>([])

        init(_ interests: EventInterests) { self.interests = interests }

        func record(_ event: borrowing RequestEvent) {}
        func record(_ event: borrowing StateEvent) {
            let kind = event.kind
            kinds.withLock { $0.append(kind) }
        }
    }

    private static func event(_ name: String) -> StateEvent {
        StateEvent(instant: .now, origin: nil, kind: .circuitClosed(name))
    }

    /// An engine that ended gets nothing, one that was added twice gets each event once, and a sink gets what it wants.
    @Test func eachSinkGetsWhatItWantsOnce() {
        let outlets = EventOutlets()
        let (kept, other) = (Sink([.state, .tokens]), Sink(.calls))
        let (first, second) = (EventOutlet(kept), EventOutlet(other))
        for _ in 0..<2 { for outlet in [first, second] { outlets.add(outlet) } }
        let ended = Sink(.state)
        do {
            let outlet = EventOutlet(ended)
            outlets.add(outlet)
            outlets.record([Self.event("a"), Self.event("b")])
        }
        outlets.record([Self.event("c")])
        #expect(kept.kinds.withLock { $0 } == ["a", "b", "c"].map { .circuitClosed($0) })
        #expect(ended.kinds.withLock { $0 }.count <= 2 && other.kinds.withLock { $0 }.isEmpty)
        #expect(outlets.sinks(for: .tokens).count == 1 && outlets.sinks(for: .calls).count == 1)
        withExtendedLifetime((first, second)) {}
    }

    private final class Count: Sendable {
        let value = Locked(0)
    }

    /// Does something with each event, and passes it on.
    private final class Forwarder: ForwardingEventSink {
        let receiver: (any RequestEventSink)?
        let count: Count

        init(_ receiver: (any RequestEventSink)?, count: Count = Count()) {
            self.receiver = receiver
            self.count = count
        }

        var interests: EventInterests { (receiver?.interests ?? []).union(.state) }
        var withoutReceiver: any RequestEventSink { Forwarder(nil, count: count) }

        func record(_ event: borrowing RequestEvent) {}
        func record(_ event: borrowing StateEvent) {
            count.value.withLock { $0 += 1 }
            receiver?.record(event)
        }
    }

    /// Several engines with one sink, some of which have a cache: the sink gets each event once, and each cache, too.
    @Test func aSinkOfSeveralEnginesGetsEachEventOnce() {
        let outlets = EventOutlets()
        let sink = Sink(.state)
        let caches = [Forwarder(sink), Forwarder(sink), Forwarder(nil)]
        let engines = ([sink, caches[0], sink, caches[1], caches[2]] as [any RequestEventSink])
            .map { EventOutlet($0) }
        for engine in engines { outlets.add(engine) }
        outlets.record([Self.event("a")])
        #expect(sink.kinds.withLock { $0 } == [.circuitClosed("a")])
        #expect(caches.map { $0.count.value.withLock { $0 } } == [1, 1, 1])
        withExtendedLifetime(engines) {}
    }
}
