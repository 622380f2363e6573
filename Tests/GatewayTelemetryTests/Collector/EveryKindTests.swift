import GatewayCore
import Testing

@testable import GatewayTelemetry

/// Every kind of event has an instrument. A new kind does not compile before it has one (the switches of the collector have no
/// default), and fails here until ``EventSamples`` has an event of it that changes an instrument.
@Suite struct EveryKindTests {
    @Test func theSamplesHaveEveryKind() throws {
        let calls = try EventSamples.calls().map { EventSamples.caseName($0.kind) }
        #expect(Set(calls) == (try EventSamples.declaredKinds(in: "RequestEvent")))
        let tokens = EventSamples.tokenKinds.map(EventSamples.caseName)
        #expect(Set(tokens) == (try EventSamples.declaredKinds(in: "TokenEvent")))
        let states = EventSamples.stateKinds.map(EventSamples.caseName)
        #expect(Set(states) == (try EventSamples.declaredKinds(in: "StateEvent")))
    }

    @Test func everyKindChangesAnInstrument() async throws {
        for event in try EventSamples.calls() {
            let collector = RequestMetricsCollector()
            let before = await points(of: collector)
            collector.record(event)
            let after = await points(of: collector)
            #expect(after != before, "\(event.kind) has no instrument")
        }
        for event in EventSamples.tokens() {
            let collector = RequestMetricsCollector()
            collector.record(event)
            let names = await points(of: collector)
            #expect(
                names.contains { $0.contains("\"\(event.kind.name)\"") }, "\(event.kind) has no instrument")
        }
        for event in try EventSamples.states() {
            let measured = Set(event.measurements.map(\.instrument))
            #expect(measured.count > 1 && measured.contains(.stateEvents), "\(event.kind) has no instrument")
            let collector = RequestMetricsCollector()
            collector.record(event)
            let names = await points(of: collector)
            #expect(
                names.contains { $0.contains("\"\(event.kind.name)\"") }, "\(event.kind) has no instrument")
        }
    }

    @Test func namesOfInstrumentsDiffer() {
        #expect(Set(Instrument.allCases.map(\.descriptor.name)).count == Instrument.allCases.count)
        #expect(
            Set(Instrument.allCases.map { $0.descriptor.name.replacing(".", with: "_") }).count
                == Instrument.allCases.count)
    }

    private func points(of collector: RequestMetricsCollector) async -> Set<String> {
        let text = await collector.exposition(accepting: nil).bytes
        return Set(String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
    }
}
