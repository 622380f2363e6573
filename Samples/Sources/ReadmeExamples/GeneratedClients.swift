import BookshopAPI
import GatewayClient

// The snippets of the page on generated clients, so that they are compiled; scripts/check-readme.sh compares the two.

/// Servers.
func servers() {
    let api = BookshopClient(server: .sandbox)
    let local = BookshopClient(server: .init(url: "http://127.0.0.1:8080/v1"))
    _ = (api, local)
}

/// Calls.
func calls(api: BookshopClient, id: String) async throws {
    let book = try await api.books.get(bookId: id)
    let response = try await api.books.withResponse.list(limit: 50)
    print(response.status, response.headers.xTotalCount ?? 0, response.requestID ?? "")
    print(response.value.items.count)
    _ = book
}

/// Errors.
func errors(api: BookshopClient, id: String) async {
    do {
        _ = try await api.books.get(bookId: id)
    } catch {
        switch error.failure {
        case .documented(.notFound(let problem)): print(problem.title)
        case .documented: print(error.messageForPeople)
        case .undocumented(let response): print(response.status, (try? response.text()) ?? "")
        case .failed(let cause): print(cause.code, cause.attempts)
        }
    }
}

/// Fields that are absent, null or a value.
func patch() -> Bookshop.BookPatch {
    let patch = Bookshop.BookPatch(retiredAt: nil, subtitle: "A Voyage")
    return patch
}

/// Pages.
func pages(api: BookshopClient, token: String?) async throws {
    for try await book in api.books.listAll(limit: 200, genre: [.poetry]) { print(book.title) }

    for try await page in api.books.listAll().resumed(from: token).limited(toPages: 10).pages {
        use(page.items)
        save(page.resumeToken)
    }
}

private func use(_ items: [Bookshop.Book]) {}
private func save(_ token: String?) {}

struct NoBooks: RequestEngine {
    let services = EngineServices()

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let body = Array(#"{"items":[]}"#.utf8)
        return HTTPResponse(
            status: 200, fields: [.contentType: "application/json"], body: .bytes(body),
            exchange: Exchange(origin: request.origin))
    }
}

/// A fake.
func fake() -> BookshopClient {
    let empty = BookshopClient(engine: NoBooks())
    return empty
}
