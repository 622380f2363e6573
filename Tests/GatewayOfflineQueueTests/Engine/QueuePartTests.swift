import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// A queue ends with the engine that it sends with.
@Suite struct QueuePartTests {
    private let clock = ManualClock()

    /// An engine whose services are always the same, as those of a real one.
    private struct Engine: RequestEngine {
        let services: EngineServices
        let transport: ScriptedTransport

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            try await transport.send(request, context: context)
        }
    }

    private func queue(_ engine: Engine, _ network: ScriptedNetwork) async throws -> OfflineQueueEngine {
        var configuration = OfflineQueueEngine.Configuration()
        configuration.clock = clock
        return try await OfflineQueueEngine(
            store: MemoryQueueStore(), engine: engine, network: network, configuration: configuration)
    }

    /// shutdown.order
    @Test func itStopsWithItsEngineAndIsNotKeptByIt() async throws {
        let engine = Engine(
            services: EngineServices(clock: clock), transport: ScriptedTransport(.status(200)))
        let network = ScriptedNetwork(NetworkCondition(quality: .offline), clock: clock)
        var queue: OfflineQueueEngine? = try await self.queue(engine, network)
        await queue?.start()
        _ = try await queue?.enqueue(try sample())
        #expect(engine.services.parts.parts.count == 1)
        let health = await queue?.partHealth()
        #expect(health?.name == "queue" && health?.state == "offline" && health?.isReady == true)
        for part in engine.services.parts.beginEnding() {
            #expect(!part.endsAfterCalls)
            await part.end(until: .after(.seconds(5), clock: clock))
        }
        #expect(await queue?.partHealth()?.state == "stopped")
        #expect(engine.transport.requests.isEmpty)
        queue = nil
        #expect(engine.services.parts.parts.isEmpty)
    }

    @Test func anEngineDoesNotKeepAQueue() async throws {
        let engine = Engine(
            services: EngineServices(clock: clock), transport: ScriptedTransport(.status(200)))
        var queue: OfflineQueueEngine? = try await self.queue(engine, ScriptedNetwork(clock: clock))
        weak let released = queue
        queue = nil
        #expect(await isEventually { released == nil })
    }
}
