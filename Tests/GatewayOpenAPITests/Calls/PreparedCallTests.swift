import Foundation
import GatewayClient
import GatewayOfflineQueue
import GatewayTesting
import Testing

/// Calls that are made and not sent, and what a queue sends later.
@Suite struct PreparedCallTests {
    private static let address = Bookshop.Address(
        name: "N", street: "S", city: "C", postalCode: "1", country: "DE")
    private static let health = #"{"status":"up"}"#

    /// Operations with parameters in the path, the query and header fields, and with bodies.
    private static let operations: [@Sendable (BookshopClient) async throws -> Void] = [
        { _ = try await $0.getHealth() },
        { _ = try await $0.books.get(bookId: "b 1/ü") },
        { _ = try await $0.books.list(limit: 5, genre: [.selfHelp, .unrecognized("a&b")], q: "x+y z") },
        { try await $0.books.delete(bookId: "b1", options: CallOptions(idempotencyKey: "k")) },
        { _ = try await $0.books.update(bookId: "b1", .init(title: "New"), ifMatch: "\"7\"") },
        {
            _ = try await $0.orders.place(
                .init(lines: [.init(bookId: "b1", quantity: 2)], shipTo: address, metadata: ["a": [1, nil]]),
                options: CallOptions(idempotencyKey: "order-42"))
        },
    ]

    /// queue.same-bytes-as-call
    @Test(arguments: operations.indices) func theRequestIsThatOfTheCall(index: Int) async throws {
        let operation = Self.operations[index]
        let (direct, silent) = (ScriptedEngine(.status(500)), ScriptedEngine(.status(500)))
        _ = try? await operation(BookshopClient.scripted(direct))
        let call = try await PreparedCall { try await operation(BookshopClient.scripted(silent)) }
        #expect(silent.requests.isEmpty)
        var sent = try #require(direct.requests.first)
        // The first operation needs no credential.
        #expect(sent.fields[.authorization] == (index == 0 ? nil : "Bearer t"))
        #expect(call.request.fields[.authorization] == nil)
        sent.fields.remove(.authorization)
        #expect(call.request.method == sent.method && call.request.origin == sent.origin)
        #expect(call.request.target == sent.target)
        #expect(call.request.fields == sent.fields)
        #expect(call.request.body.bytes == sent.body.bytes)
        #expect(call.operation != nil)
    }

    @Test func outcomesAreDecodedAsByTheCall() async throws {
        let engine = ScriptedEngine(.json(200, Self.health), .json(404, #"{"title":"No","status":404}"#))
        let api = BookshopClient.scripted(engine)
        let call = try await PreparedCall { try await api.getHealth() }
        let responses = [
            try await engine.send(call.request, context: RequestContext()),
            try await engine.send(call.request, context: RequestContext()),
        ]
        for _ in 0..<2 {
            let health = try await call.decode(.success(responses[0]))
            #expect(health.status == .up)
        }
        let get = try await PreparedCall { try await api.books.get(bookId: "b1") }
        await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await get.decode(.success(responses[1]))
        }
        let error = await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await get.decode(.failure(NetworkError(.timeout, "late")))
        }
        #expect(error?.networkError?.code == .timeout)
        #expect(engine.requests.count == 2)
    }

    @Test func aCallThatIsNotOneIsRefused() async throws {
        let engine = ScriptedEngine(.json(200, Self.health))
        let api = BookshopClient.scripted(engine)
        let none = await #expect(throws: NetworkError.self) { _ = try await PreparedCall { 1 } }
        #expect(none?.code == .invalidRequest)
        let two = await #expect(throws: NetworkError.self) {
            _ = try await PreparedCall {
                _ = try? await api.getHealth()
                _ = try await api.getHealth()
            }
        }
        #expect(two?.code == .invalidRequest)
        await #expect(throws: APIError<Bookshop.GetBookFailure>.self) {
            _ = try await PreparedCall { try await api.books.get(bookId: "..") }
        }
        #expect(engine.requests.isEmpty)
    }

    // MARK: Queue

    private func queue(_ engine: ScriptedEngine) async throws -> OfflineQueueEngine {
        try await OfflineQueueEngine(store: MemoryQueueStore(), engine: engine)
    }

    /// queue.same-bytes-as-call
    @Test func theQueueSendsTheBytesOfTheCall() async throws {
        let engine = ScriptedEngine(.json(200, Self.health))
        let queue = try await queue(engine)
        await queue.start()
        for operation in Self.operations {
            let call = try await PreparedCall { try await operation(BookshopClient.scripted(engine)) }
            let count = engine.requests.count
            // Settings can be changed, and nothing of the request.
            let ticket = try await queue.enqueue(call) {
                $0.priority = .critical
                $0.request.body = .text("changed")
            }
            #expect(try await ticket.ticket.outcome().isDone)
            var sent = try #require(engine.requests.last)
            #expect(engine.requests.count == count + 1)
            // The queue gives each entry a key.
            if call.request.fields[.idempotencyKey] == nil { sent.fields.remove(.idempotencyKey) }
            #expect(sent.method == call.request.method && sent.target == call.request.target)
            for field in call.request.fields {
                #expect(sent.fields.values(for: field.name) == call.request.fields.values(for: field.name))
            }
            #expect(Set(sent.fields.map(\.name)) == Set(call.request.fields.map(\.name)))
            #expect(sent.body.bytes ?? [] == call.request.body.bytes ?? [])
        }
        await queue.stop(within: .zero)
    }

    @Test func aTicketDecodes() async throws {
        let engine = ScriptedEngine { request, _ in
            request.target.contains("health") ? .json(200, Self.health) : .json(404, #"{"title":"No"}"#)
        }
        let api = BookshopClient.scripted(engine)
        let queue = try await queue(engine)
        let health = try await queue.enqueue(try await PreparedCall { try await api.getHealth() })
        let get = try await queue.enqueue(try await PreparedCall { try await api.books.get(bookId: "b1") })
        let cancelled = try await queue.enqueue(try await PreparedCall { try await api.getHealth() })
        #expect(try await queue.cancel(cancelled.id))
        await queue.start()
        guard case .decoded(let value) = try await health.outcome() else {
            Issue.record("it is not decoded")
            return
        }
        #expect(value.status == .up)
        guard case .failed(let error) = try await get.outcome() else {
            Issue.record("it did not fail")
            return
        }
        #expect(error is APIError<Bookshop.GetBookFailure>)
        guard case .withoutResponse(let outcome) = try await cancelled.outcome() else {
            Issue.record("it was sent")
            return
        }
        #expect(outcome.state == .cancelled)
        await queue.stop(within: .zero)
    }

    /// queue.stream-refused
    @Test func aStreamIsRefusedWithoutBeingRead() async throws {
        let engine = ScriptedEngine(.status(204))
        let queue = try await queue(engine)
        let wasRead = Locked(false)
        let chunks = AsyncThrowingStream<HTTPBody.Chunk, any Error> {
            wasRead.withLock { $0 = true }
            return nil
        }
        // The client has no credentials: those of the queue are used.
        let api = DepotClient(engine: engine)
        let error = await #expect(throws: QueueError.self) {
            try await queue.enqueue(PreparedCall { try await api.replace(.once(chunks)) })
        }
        #expect(error?.property == "body")
        #expect(try await queue.entries().isEmpty)
        #expect(!wasRead.withLock { $0 } && engine.requests.isEmpty)
    }
}
