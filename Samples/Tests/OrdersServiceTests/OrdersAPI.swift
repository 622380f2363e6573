import GatewayClient
import GatewayTesting
import Synchronization

/// The orders API behind a gateway, which the service calls.
final class OrdersAPI: Sendable {
    struct State {
        var orders: [JSONValue] = []
        var byKey: [String: JSONValue] = [:]
        var changes: [JSONValue] = []
        var patches: [JSONValue] = []
        var uploads: [[UInt8]] = []
    }

    let gateway: EmbeddedGateway
    let tokens: TokenClient
    let state = Mutex(State())
    let invoice = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    init(_ server: TokenServer) async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.clients = [EmbeddedGateway.Client(id: "orders-service", scopes: ["read", "write"])]
        gateway = try EmbeddedGateway.start(configuration)
        tokens = try await TokenClient(server, gateway)
        addOrders()
        addRest()
    }

    var url: String { "\(gateway.origin)/shop" }

    /// Adds an order, or finds the one of an idempotency key.
    func place(_ order: JSONValue, key: String) -> JSONValue {
        state.withLock { state in
            if let known = state.byKey[key] { return known }
            var members = order.object ?? [:]
            members["id"] = .string("o\(state.orders.count + 1)")
            members["status"] = "open"
            state.orders.append(.object(members))
            state.byKey[key] = .object(members)
            return .object(members)
        }
    }

    private func route(
        _ method: HTTPMethod, _ path: String,
        _ handler: @escaping @Sendable (EmbeddedGateway.Request) throws -> EmbeddedGateway.Reply
    ) {
        gateway.route(method, "/shop" + path, access: tokens.access) { [tokens] request async in
            do {
                guard try await tokens.admits(request.fields[.authorization]) else {
                    return .status(401, fields: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
                }
                return try handler(request)
            } catch { return .problem(500, "\(error)") }
        }
    }

    private func index(_ request: EmbeddedGateway.Request, _ state: State) -> Int? {
        state.orders.firstIndex { $0["id"]?.string == request.parameters["id"] }
    }

    private func addOrders() {
        route(.get, "/orders") { [self] request in
            let start = request.query("cursor").first.flatMap { Int($0) } ?? 0
            let limit = request.query("limit").first.flatMap { Int($0) } ?? 50
            let orders = state.withLock { $0.orders }
            var page: [String: JSONValue] = ["items": .array(Array(orders.dropFirst(start).prefix(limit)))]
            if start + limit < orders.count { page["nextCursor"] = .string("\(start + limit)") }
            return .json(.object(page))
        }
        route(.post, "/orders") { [self] request in
            let order = try JSONValue(jsonBytes: request.body)
            guard let quantity = order["quantity"]?.int, quantity > 0 else {
                return .problem(422, "It must be at least 1.", ["property": "quantity"])
            }
            return .json(place(order, key: request.fields[.idempotencyKey] ?? ""), status: 201)
        }
        route(.get, "/orders/{id}") { [self] request in
            guard let order = state.withLock({ state in index(request, state).map { state.orders[$0] } })
            else {
                return .problem(404, "There is no such order.")
            }
            var reply = EmbeddedGateway.Reply.json(order)
            reply.fields["Cache-Control"] = "private, max-age=600"
            return reply
        }
        route(.patch, "/orders/{id}") { [self] request in
            guard request.fields[.contentType] == "application/merge-patch+json" else { return .status(415) }
            let patch = try JSONValue(jsonBytes: request.body)
            return state.withLock { state in
                guard let index = index(request, state) else {
                    return .problem(404, "There is no such order.")
                }
                state.patches.append(patch)
                var members = state.orders[index].object ?? [:]
                for (name, value) in patch.object ?? [:] { members[name] = value == .null ? nil : value }
                state.orders[index] = .object(members)
                return .json(.object(members))
            }
        }
        route(.delete, "/orders/{id}") { [self] request in
            state.withLock { state in
                guard let index = index(request, state) else {
                    return .problem(404, "There is no such order.")
                }
                state.orders.remove(at: index)
                return .status(204)
            }
        }
    }

    private func addRest() {
        route(.post, "/orders/{id}/documents") { [self] request in
            guard request.fields[.contentType]?.hasPrefix("multipart/form-data") == true else {
                return .status(415)
            }
            state.withLock { $0.uploads.append(request.body) }
            return .json(["id": "d1", "title": "receipt", "bytes": 3], status: 201)
        }
        route(.get, "/orders/{id}/invoice") { [self] _ in
            EmbeddedGateway.Reply(fields: [.contentType: "application/pdf"], body: invoice)
        }
        // Each response ends after the events so far, as of a server with a limit of time.
        route(.get, "/changes") { [self] request in
            let last = request.fields["Last-Event-ID"].flatMap { Int($0) } ?? 0
            var text = "retry: 20\n\n"
            for (offset, change) in state.withLock({ $0.changes }).enumerated() where offset >= last {
                text +=
                    "id: \(offset + 1)\ndata: \(String(decoding: try change.jsonBytes(), as: UTF8.self))\n\n"
            }
            return .text(text, contentType: "text/event-stream")
        }
    }
}
