import BookshopAPI
import GatewayClient

// The snippets about errors in the README and the page on errors, so that they are compiled; scripts/check-readme.sh
// compares them.

/// The error type of one operation.
func typedErrorsInClosures(api: BookshopClient, id: String) async throws {
    Task {
        do throws(APIError<Bookshop.GetBookFailure>) {
            show(try await api.books.get(bookId: id))
        } catch {
            if case .documented(.notFound(let problem)) = error.failure { show(problem.title) }
        }
    }

    let load = { () async throws(APIError<Bookshop.GetBookFailure>) in try await api.books.get(bookId: id) }
    do {
        show(try await load())
    } catch {
        // The closure keeps the type of the error.
        let failure: APIError<Bookshop.GetBookFailure>.Failure = error.failure
        if case .undocumented(let response) = failure { show((try? response.text()) ?? "") }
    }
}

/// The errors of any operation.
func anyErrorInClosures(api: BookshopClient, id: String) {
    Task {
        do {
            show(try await api.books.get(bookId: id))
            _ = try await api.books.list()
        } catch let error as any GatewayCallError {
            switch error.guidance {
            case .retry: schedule(after: error.retryAfter ?? .seconds(30))
            case .signIn: showSignIn()
            default: show(error.problem?.detail ?? error.messageForPeople)
            }
        }
    }
}

/// What each error tells.
func everythingAnErrorTells(error: any GatewayCallError) {
    print(error.code, error.category, error.guidance, error.status ?? 0)
    print(error.operation ?? "", error.origin?.description ?? "", error.requestID ?? "")
    print(error.attempts, error.mayHaveBeenSent, error.retryAfter ?? .zero)
    if let response = error.response { print(response.mediaType ?? "", (try? response.text()) ?? "") }
    if let problem = error.problem { print(problem.type, problem.extensions["balance"]?.int ?? 0) }
    if let cause = error.cause { print(cause) }
}

private func show(_ book: Bookshop.Book) {}
private func show(_ text: String) {}
private func showSignIn() {}
private func schedule(after wait: Duration) {}
