import GatewayCore
import GatewayTesting

@testable import GatewayOfflineQueue

/// A queue over a store in memory and a scripted transport.
struct EngineFixture {
    let clock = ManualClock()
    let network: ScriptedNetwork
    let transport: ScriptedTransport
    let events = EventRecorder()
    let queue: OfflineQueueEngine

    init(
        seed: UInt64 = 1, isOnline: Bool = true, store: sending any QueueStore = MemoryQueueStore(),
        _ change: (inout OfflineQueueEngine.Configuration) -> Void = { _ in },
        script: @escaping ScriptedTransport.Script
    ) async throws {
        network = ScriptedNetwork(
            NetworkCondition(quality: isOnline ? .excellent : .offline), clock: clock)
        transport = ScriptedTransport(script)
        var configuration = OfflineQueueEngine.Configuration()
        configuration.clock = clock
        configuration.random = SeededRandomSource(seed: seed)
        configuration.events = events
        change(&configuration)
        queue = try await OfflineQueueEngine(
            store: store, engine: AttemptEngine(transport: transport), network: network,
            configuration: configuration)
    }

    init(
        seed: UInt64 = 1, isOnline: Bool = true,
        _ change: (inout OfflineQueueEngine.Configuration) -> Void = { _ in }
    ) async throws {
        try await self.init(seed: seed, isOnline: isOnline, change) { _, _ in .status(201) }
    }

    /// The events of the queue.
    var queueEvents: [QueueEvent] {
        events.stateEvents.compactMap { if case .queue(let event) = $0.kind { event } else { nil } }
    }

    /// Moves the clock on in small steps until a condition is true. It stands still while the store works, and each step gives
    /// the loop a turn. How many steps are needed depends on the machine: a test with an upper bound moves the clock itself.
    func advance(
        by step: Duration = .milliseconds(100), until condition: () async throws -> Bool
    ) async rethrows -> Bool {
        let end = ContinuousClock.now + RealTime.limit(.seconds(60))
        repeat {
            for _ in 0..<5 {
                if try await condition() { return true }
                for _ in 0..<10 { await Task.yield() }
            }
            _ = await queue.drain.status
            if queue.writer.isIdle { clock.advance(by: step) }
        } while ContinuousClock.now < end
        return false
    }
}

/// A request with settings of its own.
func sample(
    _ text: String = "{}", _ change: (inout QueueRequest) -> Void = { _ in }
) throws -> QueueRequest {
    var request = QueueRequest(
        try HTTPRequest(.post, "https://api.example.com/v1/items", body: .text(text)))
    change(&request)
    return request
}
