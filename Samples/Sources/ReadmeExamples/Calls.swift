import BookshopAPI
import GatewayClient

/// Options by operation.
func options(request: HTTPRequest) async throws {
    var configuration = GatewayConfiguration()
    configuration.operations = [
        "listPets": CallOptions(deadline: .seconds(2)),
        "createOrder": CallOptions(priority: .high, limits: AttemptLimits(firstByte: .seconds(5))),
    ]
    let engine = try configuration.makeEngine()
    let pets = try await engine.send(request, operation: "listPets")
    print(pets.status)
    await engine.shutdown(within: .seconds(10))
}

/// Header fields of every call of a client.
func fieldsOfEveryCall(engine: GatewayEngine) async throws {
    let api = BookshopClient(defaults: CallOptions(fields: ["X-Team": "catalogue"]), engine: engine)
    let page = try await api.books.list(options: CallOptions(fields: ["X-Reason": "nightly"]))
    _ = page
}

/// One engine for two clients.
func oneEngine(_ configuration: GatewayConfiguration, _ id: String, _ secret: SecretSource) async throws {
    let engine = try configuration.makeEngine()
    let books = BookshopClient(
        credentials: .init(bookshopAuth: .clientCredentials(id: id, secret: secret)), engine: engine)
    let pictures = GalleryClient(engine: engine)
    _ = (books, pictures)
}

final class Notes: RequestEventSink {
    let interests: EventInterests = [.calls, .tokens, .state]

    func record(_ event: borrowing RequestEvent) {
        switch event.kind {
        case .retryScheduled: print(event.operation?.id ?? "", "is sent again")
        case .failed(let cause, let attempts, _): print(cause.code, cause.origin as Any, attempts)
        default: break
        }
    }

    func record(_ event: borrowing TokenEvent) {
        guard case .refreshFailed(let cause, let isPermanent, _, _) = event.kind else { return }
        print(cause.code, isPermanent ? "sign in, or correct the configuration" : "is tried again")
    }

    func record(_ event: borrowing StateEvent) {
        if case .circuitOpened = event.kind { print(event.origin as Any, "is not called for now") }
    }
}
