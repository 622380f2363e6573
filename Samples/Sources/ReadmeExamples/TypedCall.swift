import BookshopAPI
import GatewayClient

// The snippets of the README, so that they are compiled; scripts/check-readme.sh compares the two.

/// A typed call.
func typedCall(secret: Secret) async throws {
    let api = BookshopClient(
        server: .production,
        credentials: .init(bookshopAuth: .clientCredentials(id: "my-service", secret: secret)),
        defaults: CallOptions(deadline: .seconds(10)))

    let page = try await api.books.list(limit: 50)
    for try await book in api.books.listAll(limit: 200, genre: [.poetry]) { print(book.title) }

    let patched = try await api.books.update(bookId: page.items[0].id, .init(subtitle: .null))
    do {
        print(try await api.books.get(bookId: patched.id).price.amount)
    } catch {  // APIError<Bookshop.GetBookFailure>
        switch error.failure {
        case .documented(.notFound(let problem)): print(problem.title)
        case .documented: print(error.messageForPeople)
        case .undocumented(let response): print(response.status, (try? response.text()) ?? "")
        case .failed(let cause): print(cause.code, cause.attempts)
        }
    }
}

/// A call without a document.
func handMadeCall() async throws {
    let engine = try GatewayConfiguration().makeEngine()
    let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
    let books = try response.json()["items"]?.array ?? []
    print(response.status, books.count, try response.text())
}

/// An engine configured by environment variables.
func environmentsEngine() throws -> BookshopClient {
    let environment = try GatewayEnvironment()
    let engine = try environment.configuration().makeEngine()
    let api = BookshopClient(server: .init(environment, or: .production), engine: engine)
    return api
}
