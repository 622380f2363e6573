import BookshopAPI
import GatewayClient
import GatewayTelemetry
import GatewayTesting

/// The demo's parts, each against the same gateway and through the same client.
struct Demo {
    let gateway: EmbeddedGateway
    let metrics: RequestMetricsCollector
    let api: BookshopClient
    private(set) var checklist = Checklist()

    init(gateway: EmbeddedGateway, telemetry: ClientTelemetry) {
        self.gateway = gateway
        var configuration = GatewayConfiguration()
        configuration.events = telemetry
        configuration.retry.policy = .server
        metrics = telemetry.metrics
        api = BookshopClient(
            server: .init(url: gateway.apiURL),
            credentials: .init(
                bookshopAuth: .clientCredentials(
                    id: gateway.client.id, secret: gateway.client.secret, tokenURL: gateway.tokenURL)),
            defaults: CallOptions(deadline: .seconds(30)),
            configuration: configuration)
    }

    /// One of each: list, create, patch, delete, an error with a type, another scope, and no security.
    mutating func typedCalls() async throws {
        Terminal.heading("Typed calls")
        let health = try await api.getHealth()
        Terminal.line("the service is \(health.status.rawValue)")

        var titles = 0
        for try await _ in api.books.listAll(limit: 100) { titles += 1 }
        Terminal.line("\(titles) books, read page by page")
        checklist.require(titles >= 100, "the catalogue has its books")

        let price = Bookshop.Money(amount: 1290, currency: "EUR")
        let book = try await api.books.create(
            .init(
                title: "The Token That Came Back", authors: [.init(name: "G. Way", born: .value(1979))],
                genre: .fiction,
                price: price, subtitle: .value("A refresh")),
            options: CallOptions(idempotencyKey: "demo-book"))
        Terminal.line("created \(book.id) for \(book.price)")
        let patched = try await api.books.update(bookId: book.id, .init(subtitle: .null))
        checklist.require(patched.subtitle.orNil == nil, "the patch cleared the subtitle")
        let level = try await api.stock.set(bookId: book.id, .init(copies: 12))
        Terminal.line("\(level.copies) copies on the shelf, set with a token of another scope")
        try await api.books.delete(bookId: book.id)
        do {
            _ = try await api.books.get(bookId: book.id)
            checklist.require(false, "a deleted book is gone")
        } catch {
            guard case .documented(.notFound(let problem)) = error.failure else { throw error }
            Terminal.line("and gone: \(problem.title) (HTTP 404, typed)")
        }
    }

    /// A token is revoked when every call already carries it.
    mutating func revocation(calls: Int) async throws {
        Terminal.heading("\(calls) calls on a token that is revoked under them")
        let ids = try await firstIDs(calls)
        let tokensBefore = gateway.statistics.tokenRequestCount
        let rejectedBefore = gateway.statistics.unauthorized
        let hold = gateway.hold()
        let (api, gateway) = (api, gateway)
        let ok = await withTaskGroup(of: Bool.self) { group in
            for id in ids {
                group.addTask { (try? await api.books.get(bookId: id)) != nil }
            }
            await hold.waitForArrivals(min(calls, 32))
            gateway.revokeCurrentTokens()
            hold.release()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let tokens = gateway.statistics.tokenRequestCount - tokensBefore
        let rejected = gateway.statistics.unauthorized - rejectedBefore
        Terminal.line("\(ok) of \(calls) calls successful")
        Terminal.line("\(rejected) answered 401 and replayed; \(tokens) token request(s)")
        checklist.require(ok == calls, "all \(calls) calls succeed")
        checklist.require(rejected >= 1, "at least one call is answered 401")
        checklist.require(tokens == 1, "the revocation costs exactly one token request")
    }

    /// The next 60 requests are answered 503.
    mutating func outage() async throws {
        Terminal.heading("200 calls through a burst of 503s")
        let ids = try await firstIDs(200)
        let retriesBefore = metrics.snapshot().retries
        let fault = gateway.inject(.status(503, retryAfter: .zero), times: 60)
        let api = api
        let ok = await withTaskGroup(of: Bool.self) { group in
            for id in ids {
                group.addTask { (try? await api.books.get(bookId: id)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        fault.remove()
        let retries = metrics.snapshot().retries - retriesBefore
        Terminal.line("\(ok) of 200 calls successful after \(retries) retries")
        checklist.require(ok == 200, "all calls survive the burst")
        checklist.require(retries >= 60, "each 503 is retried")
    }

    /// The same call, 500 times at once.
    mutating func duplicates() async throws {
        Terminal.heading("500 equal calls at once")
        let id = try await firstIDs(1)[0]
        let coalescedBefore = metrics.snapshot().deduplicated
        let requestsBefore = gateway.statistics.requests
        let hold = gateway.hold()
        let (api, metrics) = (api, metrics)
        let ok = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 {
                group.addTask { (try? await api.books.get(bookId: id)) != nil }
            }
            while metrics.snapshot().deduplicated - coalescedBefore < 499 { await Task.yield() }
            hold.release()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let requests = gateway.statistics.requests - requestsBefore
        Terminal.line("\(ok) of 500 calls answered by \(requests) request(s)")
        checklist.require(ok == 500, "every duplicate gets its answer")
        checklist.require(requests == 1, "equal calls share one request")
    }

    /// What happened in all.
    func summarise() -> Bool {
        let calls = metrics.snapshot()
        let statistics = gateway.statistics
        let failed = calls.failed - calls.errorResponses
        Terminal.heading("Account")
        Terminal.line("calls           \(calls.started)")
        Terminal.line("  successful    \(calls.succeeded)")
        Terminal.line("  error status  \(calls.errorResponses)")
        Terminal.line("  failed        \(failed)")
        let requests = gateway.journal.count { !gateway.tokenURL.hasSuffix($0.path) }
        Terminal.line("requests        \(requests) at the gateway, which is one for each attempt")
        Terminal.line("401s            \(statistics.unauthorized)")
        Terminal.line("token requests  \(statistics.tokenRequestCount)")
        Terminal.line("replays         \(calls.replays)")
        Terminal.line("retries         \(calls.retries)")
        Terminal.line("coalesced       \(calls.deduplicated)")
        let percentiles = [calls.p50, calls.p95, calls.p99].map { $0?.inMilliseconds ?? "–" }
        Terminal.line("p50 / p95 / p99 \(percentiles.joined(separator: " / "))")
        Terminal.line("                the time that the demo holds calls back included")
        for failure in checklist.failures { Terminal.complain("not so: \(failure)") }
        let isGood = checklist.failures.isEmpty && failed == 0
        Terminal.verdict(
            isGood: isGood, isGood ? "everything went as it should" : "something went wrong, see above")
        return isGood
    }

    /// Identifiers of so many books.
    private func firstIDs(_ count: Int) async throws -> [String] {
        var ids: [String] = []
        for try await book in api.books.listAll(limit: 200) {
            ids.append(book.id)
            if ids.count == count { break }
        }
        return ids
    }
}
