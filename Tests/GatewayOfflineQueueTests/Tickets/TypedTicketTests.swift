import GatewayCore
import GatewayOfflineQueue
import GatewayTesting
import TestTiers
import Testing

/// Calls of operations are stored from any actor.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct TypedTicketTests {
    /// What a program has on its main actor.
    @MainActor private final class Screen {
        private let queue: OfflineQueueEngine
        private var orders = 0

        init(_ queue: OfflineQueueEngine) { self.queue = queue }

        /// The settings are those of the screen at this moment.
        func place(_ call: PreparedCall<Int>) async throws -> TypedTicket<Int> {
            try await queue.enqueue(call) { request in
                orders += 1
                request.orderingKey = "orders"
                request.idempotencyKey = "order-\(orders)"
            }
        }
    }

    /// Each attempt has the operation of the call.
    @Test func aStoredCallKeepsItsOperation() async throws {
        let engine = Operations()
        let queue = try await OfflineQueueEngine(store: MemoryQueueStore(), engine: engine)
        let operation = GatewayCore.Operation("placeOrder", method: .post, template: "/orders")
        let call = try await PreparedCall { () async throws -> Int in
            guard let interception = CallInterception.current else { return 0 }
            let request = try HTTPRequest(.post, "https://api.example.com/orders", body: .text("{}"))
            return try interception.send(request, RequestContext(operation: operation)).status
        }
        await queue.start()
        let typed = try await queue.enqueue(call)
        _ = try await typed.outcome()
        let untyped = try await queue.enqueue(QueueRequest(call.request))
        _ = try await untyped.outcome()
        #expect(engine.seen.withLock { $0 } == [operation, nil])
        await queue.stop(within: .zero)
    }

    /// Notes the operations of calls.
    private final class Operations: RequestEngine {
        let services = EngineServices()
        let seen = Locked<[GatewayCore.Operation?]>([])

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            seen.withLock { $0.append(context.operation) }
            return HTTPResponse(status: 201, exchange: Exchange(origin: request.origin))
        }
    }

    /// queue.same-bytes-as-call: as the documentation shows it.
    @Test @MainActor func aCallIsStoredFromTheMainActor() async throws {
        let transport = ScriptedTransport { _, _ in .status(201) }
        let queue = try await OfflineQueueEngine(
            store: MemoryQueueStore(), engine: AttemptEngine(transport: transport))
        await queue.start()
        let call = try await PreparedCall { () async throws -> Int in
            guard let interception = CallInterception.current else { return 0 }
            let request = try HTTPRequest(.post, "https://api.example.com/orders", body: .text("{}"))
            return try interception.send(request, RequestContext()).status
        }
        let screen = Screen(queue)
        let ticket = try await screen.place(call)
        guard case .decoded(201) = try await ticket.outcome() else {
            Issue.record("the outcome is another one")
            return
        }
        let second = try await queue.enqueue(call) { $0.orderingKey = "orders" }
        guard case .decoded(201) = try await second.outcome() else {
            Issue.record("the outcome is another one")
            return
        }
        #expect(transport.requests.first?.fields[.idempotencyKey] == "order-1")
        #expect(transport.requests.map(\.body.bytes) == [Array("{}".utf8), Array("{}".utf8)])
        await queue.stop(within: .zero)
    }
}
