import GatewayCore
import GatewayJSON

/// The API of the bookshop document, with its state in memory.
final class Bookshop: Sendable {
    private let clock: any GatewayClock
    private let random: any RandomSource
    private let state: Locked<BookshopState>

    init(clock: any GatewayClock, random: any RandomSource, bookCount: Int, idempotencyKeyLimit: Int) {
        self.clock = clock
        self.random = random
        state = Locked(BookshopState(bookCount: bookCount, keyLimit: idempotencyKeyLimit))
    }

    /// Adds the operations of the document.
    ///
    /// - Parameter base: the path of the server in the document.
    func addRoutes(to routes: inout RouteTable, under base: String) {
        routes.add(
            .get, base + "/health", access: .open,
            .immediate { _ in .json(["status": "up", "version": "1.2.0"]) })

        let reading = EmbeddedGateway.Access.anyOf([["books:read"]], orPartner: true)
        routes.add(.get, base + "/books", access: reading, .immediate { self.list($0) })
        routes.add(
            .get, base + "/books/{bookId}", access: reading,
            .immediate { request in
                self.state.withLock {
                    $0.book(
                        request.parameters["bookId"] ?? "", ifNoneMatch: request.fields["If-None-Match"])
                }
            })

        let writing = EmbeddedGateway.Access.scopes("books:write")
        routes.add(.post, base + "/books", access: writing, .immediate { self.create($0, "createBook") })
        routes.add(.patch, base + "/books/{bookId}", access: writing, .immediate { self.patch($0) })
        routes.add(
            .delete, base + "/books/{bookId}", access: writing,
            .immediate { request in
                self.state.withLock { $0.deleteBook(request.parameters["bookId"] ?? "") }
            })

        routes.add(
            .post, base + "/orders", access: .scopes("orders:write"),
            .immediate { self.create($0, "placeOrder") })
        routes.add(
            .get, base + "/orders/{orderId}", access: .anyOf([["orders:read"], ["orders:write"]]),
            .immediate { request in
                self.state.withLock { $0.order(request.parameters["orderId"] ?? "") }
            })
        routes.add(
            .put, base + "/stock/{bookId}", access: .scopes("stock:admin"), .immediate { self.setStock($0) })
    }

    private func list(_ request: EmbeddedGateway.Request) -> EmbeddedGateway.Reply {
        switch BookQuery.read(request) {
        case .failure(let invalid): invalid.reply
        case .success(let query): state.withLock { $0.list(query) }
        }
    }

    /// Handles an operation with `Idempotency-Key`. The same key with the same content gets the same response without
    /// another effect, with other content a 422 (draft-ietf-httpapi-idempotency-key-header §2.7).
    private func create(_ request: EmbeddedGateway.Request, _ operation: String) -> EmbeddedGateway.Reply {
        var content = RequestContent(request, type: "application/json")
        guard let body = content.object() else { return content.refusal }
        let creation = Creation(
            body: body, bytes: request.body, now: Timestamp.text(clock.unixTime), id: random.uuid())
        let key = request.fields[.idempotencyKey]
        if let key, key.isEmpty || key.utf8.count > 255 {
            return InvalidRequest("/Idempotency-Key", "must have 1 to 255 characters").reply
        }
        let record = key.map {
            IdempotencyKey(client: request.token?.clientID ?? "", operation: operation, key: $0)
        }
        return state.withLock { $0.create(creation, operation: operation, key: record) }
    }

    private func patch(_ request: EmbeddedGateway.Request) -> EmbeddedGateway.Reply {
        var content = RequestContent(request, type: "application/merge-patch+json")
        guard let body = content.object() else { return content.refusal }
        return state.withLock {
            $0.patch(request.parameters["bookId"] ?? "", body, ifMatch: request.fields["If-Match"])
        }
    }

    private func setStock(_ request: EmbeddedGateway.Request) -> EmbeddedGateway.Reply {
        var content = RequestContent(request, type: "application/json")
        guard let body = content.object() else { return content.refusal }
        return state.withLock { $0.setStock(request.parameters["bookId"] ?? "", body) }
    }
}

/// The data of a creating operation.
struct Creation: Sendable {
    let body: [String: JSONValue]
    let bytes: [UInt8]
    let now: String
    let id: String
}

/// The key of a stored response: an idempotency key is valid for one client and one operation.
struct IdempotencyKey: Hashable, Sendable {
    let client: String
    let operation: String
    let key: String
}
