import BookshopAPI
import GatewayClient
import GatewayTesting

// The examples of Testing.md.

/// Routes of an API of your own.
func routes(_ gateway: EmbeddedGateway) {
    gateway.route(.get, "/v1/pictures/{pictureId}", access: .scopes("pictures:read")) { request in
        let id = request.parameters["pictureId"] ?? ""
        return .json(["id": .string(id), "title": "Rivers", "price": "12.90"])
    }
    gateway.route(.post, "/v1/pictures") { request in
        guard request.fields[.contentType]?.hasPrefix("multipart/form-data") == true else {
            return .problem(415, "A form is expected.")
        }
        return .json(["id": "p-1", "title": "Rivers", "price": "12.90"], status: 201)
    }
}

/// Faults.
func faults(_ gateway: EmbeddedGateway, _ api: BookshopClient) async throws {
    gateway.revokeCurrentTokens()
    let fault = gateway.inject(.status(503, retryAfter: .seconds(1)), into: .path("/v1/books"), times: 2)
    gateway.inject(.drop, into: .token, times: 1)
    _ = try await api.books.list()
    print(fault.hits, gateway.statistics.tokenRequests)
    for entry in gateway.journal { print(entry.method, entry.path) }
}

/// Requests that are held until the test goes on.
func held(_ gateway: EmbeddedGateway, _ api: BookshopClient) async throws {
    let hold = gateway.hold()
    let call = Task { try await api.books.list() }
    await hold.waitForArrivals(1)
    call.cancel()
    hold.release()
}
