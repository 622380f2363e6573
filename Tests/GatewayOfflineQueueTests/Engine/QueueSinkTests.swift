import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// The events of a queue go to the sink of its engine.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueSinkTests {
    private struct Observed: RequestEngine {
        let below: AttemptEngine
        let services: EngineServices

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            try await below.send(request, context: copy context)
        }
    }

    private struct Layer: RequestEngine {
        let below: Observed
        var services: EngineServices { below.services }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            try await below.send(request, context: context)
        }
    }

    private func events(_ sink: EventRecorder) -> [QueueEvent] {
        sink.stateEvents.compactMap { if case .queue(let event) = $0.kind { event } else { nil } }
    }

    private func queue(_ sink: EventRecorder, own: EventRecorder?) async throws -> OfflineQueueEngine {
        var configuration = OfflineQueueEngine.Configuration()
        configuration.events = own
        let transport = ScriptedTransport { _, _ in .status(200) }
        var services = EngineServices()
        services.events = EventOutlet(sink)
        return try await OfflineQueueEngine(
            store: MemoryQueueStore(),
            engine: Layer(below: Observed(below: AttemptEngine(transport: transport), services: services)),
            configuration: configuration)
    }

    /// queue.sink
    @Test func theSinkOfTheEngineReceivesTheEventsOfTheQueue() async throws {
        let sink = EventRecorder()
        let queue = try await queue(sink, own: nil)
        await queue.start()
        let ticket = try await queue.enqueue(sample())
        #expect(try await ticket.outcome().isDone)
        await queue.stop(within: .zero)
        #expect(events(sink).contains(.stored(entry: ticket.id.rawValue)))
        #expect(
            events(sink).contains { event in
                if case .attempted(_, _, .done, _, _) = event { true } else { false }
            })
    }

    /// queue.sink: an event is counted once.
    @Test func aSinkOfItsOwnTakesItsPlace() async throws {
        let (sink, own) = (EventRecorder(), EventRecorder())
        let queue = try await queue(sink, own: own)
        await queue.start()
        #expect(try await queue.enqueue(sample()).outcome().isDone)
        await queue.stop(within: .zero)
        #expect(events(sink).isEmpty && !events(own).isEmpty)
    }
}
