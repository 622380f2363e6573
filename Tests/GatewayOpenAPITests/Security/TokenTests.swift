import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOpenAPI

/// Tokens by scope, through the real authentication engine and a scripted token endpoint.
@Suite struct TokenTests {
    /// Issues `scopes#n` and accepts the newest token of each set of scopes alone.
    private final class Shop: Sendable {
        private let issued = Locked<[String: Int]>([:])
        let tokenRequests = Locked<[String]>([])
        let calls = Locked<[HTTPRequest]>([])

        func revoke(_ scopes: String) { issued.withLock { $0[scopes, default: 0] += 1 } }

        func answer(_ request: HTTPRequest) -> ScriptedTransport.Reply {
            if request.origin.host == "auth.bookshop.example" || request.target == "/token" {
                let body = request.bodyText
                tokenRequests.withLock { $0.append(body) }
                let scopes = body.split(separator: "scope=").last.map(String.init) ?? ""
                let scope = scopes.replacing("%3A", with: ":").replacing("&", with: "")
                let number = issued.withLock { issued in
                    issued[scope, default: 0] += 1
                    return issued[scope] ?? 0
                }
                return .json(
                    200,
                    #"{"access_token":"\#(scope.replacing(":", with: "-"))/\#(number)","token_type":"Bearer","#
                        + #""expires_in":3600}"#)
            }
            calls.withLock { $0.append(request) }
            let token = request.fields[.authorization]?.dropFirst("Bearer ".count) ?? ""
            let parts = token.split(separator: "/")
            let scope = String(parts.first ?? "").replacing("-", with: ":")
            guard parts.count == 2, Int(parts[1]) == issued.withLock({ $0[scope] }) else {
                return .json(401, #"{"title":"Who are you?","status":401}"#)
            }
            return request.method == .delete ? .status(204) : .json(200, #"{"items":[],"copies":1}"#)
        }
    }

    private func api(
        _ shop: Shop,
        _ credentials: BookshopClient.Credentials = .init(
            bookshopAuth: .clientCredentials(id: "me", secret: "s3cret")),
        server: String = "https://api.test"
    ) -> BookshopClient {
        let engine = ScriptedEngine { request, _ in shop.answer(request) }
        return BookshopClient(
            server: .init(url: server), credentials: credentials,
            engine: AuthenticatedRequestEngine(below: engine))
    }

    @Test func eachSetOfScopesHasItsToken() async throws {
        let shop = Shop()
        let api = api(shop)
        _ = try await api.books.list()
        _ = try await api.books.list()
        _ = try await api.stock.set(bookId: "b", .init(copies: 1))
        try await api.books.delete(bookId: "b")
        #expect(
            shop.tokenRequests.withLock { $0 } == [
                "grant_type=client_credentials&scope=books%3Aread",
                "grant_type=client_credentials&scope=stock%3Aadmin",
                "grant_type=client_credentials&scope=books%3Awrite",
            ])
        #expect(
            shop.calls.withLock { $0.map { $0.fields[.authorization] } } == [
                "Bearer books-read/1", "Bearer books-read/1", "Bearer stock-admin/1", "Bearer books-write/1",
            ])
    }

    @Test func aRevokedTokenIsRenewedOnceAndTheCallSentAgain() async throws {
        let shop = Shop()
        let api = api(shop)
        _ = try await api.books.list()
        shop.revoke("books:read")
        let response = try await api.books.withResponse.list()
        #expect(response.attempts == 2)
        #expect(shop.tokenRequests.withLock { $0.count } == 2)
    }

    @Test(.tags(.concurrent)) func aBurstOnARevokedTokenRefreshesOnce() async throws {
        let shop = Shop()
        let api = api(shop)
        _ = try await api.books.list()
        shop.revoke("books:read")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { _ = try await api.books.list() } }
            try await group.waitForAll()
        }
        #expect(shop.tokenRequests.withLock { $0.count } == 2)
        #expect(shop.calls.withLock { $0.count } <= 401)
    }

    @Test func anotherSchemeServesWhereItIsTheOneConfigured() async throws {
        let shop = Shop()
        shop.revoke("books:read")
        let api = api(shop, .init(partnerToken: .token("books-read/1")))
        _ = try await api.books.list()
        #expect(shop.tokenRequests.withLock { $0.isEmpty })
        do {
            try await api.books.delete(bookId: "b")
            Issue.record("sent")
        } catch {
            #expect(error.code == .credentialMissing)
        }
    }

    @Test func aFixedTokenThatIsRejectedGivesTheDocumentedFailure() async throws {
        let shop = Shop()
        do {
            _ = try await api(shop, .init(partnerToken: .token("books-read/9"))).books.list()
            Issue.record("accepted")
        } catch {
            guard case .documented(.other(status: 401, let problem)) = error.failure else {
                Issue.record("\(error)")
                return
            }
            #expect(problem.title == "Who are you?")
            #expect(error.category == .authentication)
        }
        #expect(shop.calls.withLock { $0.count } == 1)
    }

    @Test func aProviderIsAskedAgainWhenItsTokenIsRejected() async throws {
        let shop = Shop()
        shop.revoke("books:read")
        let asked = Locked(0)
        let provider = ClosureTokenProvider {
            asked.withLock { asked in
                asked += 1
                return asked == 1 ? "stale" : "books-read/1"
            }
        }
        _ = try await api(shop, .init(partnerToken: .provider(provider))).books.list()
        #expect(asked.withLock { $0 } == 2)
    }

    @Test(arguments: [307, 308])
    func tokenRequestsThroughAnEngineAreNotRedirected(status: Int) async throws {
        let transport = ScriptedTransport { request, _ in
            request.origin.host == "auth.bookshop.example"
                ? .status(status, fields: [.location: "https://thief.example/token"])
                : .json(200, #"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#)
        }
        let api = BookshopClient(
            server: .init(url: "https://api.test"),
            credentials: .init(bookshopAuth: .clientCredentials(id: "me", secret: "s3cret")),
            engine: AsyncRequestEngine(transport: transport))
        do {
            _ = try await api.books.list()
            Issue.record("accepted")
        } catch {
            #expect(error.category == .authentication)
        }
        #expect(transport.requests.map(\.origin.host) == ["auth.bookshop.example"])
    }

    @Test func anAnswerOfAnotherOriginIsNoTokenResponse() async throws {
        /// Follows redirects by itself, as an engine over another HTTP client may.
        struct Following: RequestEngine {
            let services = EngineServices()

            func send(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> HTTPResponse {
                try await context.credentials?.ready(atLeast: 0, deadline: nil)
                return HTTPResponse(
                    status: 200, fields: [.contentType: "application/json"],
                    body: .bytes(
                        Array(#"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#.utf8)),
                    exchange: Exchange(origin: try Origin("https://thief.example")))
            }
        }
        let api = BookshopClient(
            server: .init(url: "https://api.test"),
            credentials: .init(bookshopAuth: .clientCredentials(id: "me", secret: "s3cret")),
            engine: AuthenticatedRequestEngine(below: Following()))
        do {
            _ = try await api.books.list()
            Issue.record("accepted")
        } catch {
            #expect(error.code == .tokenResponseMalformed)
            #expect(error.description.contains("thief.example"))
        }
    }

    @Test func aTokenEndpointAnsweringHTMLIsATypedError() async throws {
        let engine = ScriptedEngine(
            .status(200, fields: ["Content-Type": "text/html"], "<html>s3cret</html>"))
        let api = BookshopClient(
            server: .init(url: "https://api.test"),
            credentials: .init(bookshopAuth: .clientCredentials(id: "me", secret: "s3cret")),
            engine: AuthenticatedRequestEngine(below: engine))
        do {
            _ = try await api.books.list()
            Issue.record("accepted")
        } catch {
            #expect(error.code == .tokenResponseMalformed)
            #expect(error.category == .authentication)
            #expect(!error.description.contains("s3cret"))
        }
        #expect(engine.requests.allSatisfy { $0.origin.host == "auth.bookshop.example" })
    }

    @Test func plainHTTPIsRefusedBeforeATokenIsFetched() async throws {
        let shop = Shop()
        do {
            _ = try await api(shop, server: "http://api.test").books.list()
            Issue.record("sent")
        } catch {
            #expect(error.code == .insecureOrigin)
        }
        #expect(shop.tokenRequests.withLock { $0.isEmpty })
        #expect(shop.calls.withLock { $0.isEmpty })
    }

    @Test(arguments: [("http://auth.test/token", NetworkError.insecureOrigin), ("nonsense", .invalidURL)])
    func aTokenEndpointThatIsNotSafeIsALocalError(url: String, code: NetworkError.Code) async throws {
        let shop = Shop()
        do {
            _ = try await api(
                shop,
                .init(bookshopAuth: .clientCredentials(id: "me", secret: "s", tokenURL: url))
            ).books.list()
            Issue.record("sent")
        } catch {
            #expect(error.code == code)
        }
        #expect(shop.tokenRequests.withLock { $0.isEmpty })
    }

    private struct Recorder: RequestEngine {
        let services = EngineServices()
        let seen: @Sendable (CredentialIdentity?) -> Void
        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            seen(context.credentials?.identity)
            throw NetworkError(.noConnection, "None.")
        }
    }

    @Test func namedCredentialsHaveAnAccountAndOthersNone() async throws {
        let seen = Locked<[String?]>([])
        let engine = Recorder { identity in seen.withLock { $0.append(identity?.account) } }
        let credentials: [BearerCredential] = [
            .token("a"), .provider(StaticTokenProvider(Secret("c"))), .token("a").account("alice"),
            .provider(StaticTokenProvider(Secret("c"))).account("carol|1"),
        ]
        for credential in credentials {
            let api = BookshopClient(
                server: .init(url: "https://api.test"), credentials: .init(partnerToken: credential),
                engine: engine)
            _ = try? await api.books.list()
        }
        #expect(seen.withLock { $0 } == [nil, nil, "alice", "carol%7C1"])
    }

    @Test func severalCredentialsHaveAnAccountIfEachHasOne() throws {
        let origin = try Origin("https://api.test")
        let coordinator = TokenRefreshCoordinator(
            provider: StaticTokenProvider(Secret("c")), account: "carol")
        func account(_ fixedAccount: String?, _ renewed: (any CredentialSource)?) -> String? {
            SchemeCredentialSource(
                origin: origin, fixed: [.bearer(Secret("t"))], renewed: renewed, fixedKey: "fixed:1:k",
                fixedAccount: fixedAccount
            ).identity.account
        }
        let renewed = coordinator.credentials(origins: [origin])
        #expect(account(nil, renewed) == nil)
        #expect(account("key", renewed) == "key|carol")
        #expect(account("key", nil) == "key")
    }

    /// The engine's sink receives the events of a generated client's tokens, with the calls that wait.
    @Test func theEnginesSinkReceivesTokenEvents() async throws {
        let (shop, recorder) = (Shop(), EventRecorder())
        let transport = ScriptedTransport { request, _ in shop.answer(request) }
        var configuration = GatewayConfiguration()
        configuration.events = recorder
        let api = BookshopClient(
            server: .init(url: "https://api.test"),
            credentials: .init(bookshopAuth: .clientCredentials(id: "me", secret: "s3cret")),
            engine: GatewayEngine(
                transport: transport, tokenTransport: transport, configuration: configuration))
        _ = try await api.books.list()
        _ = try await api.books.list()
        #expect(recorder.tokenEvents.count == 2)
        let first = try #require(recorder.events.first)
        #expect(recorder.tokenEvents.allSatisfy { $0.waitingCalls == [first.callID] })
    }

    @Test func twoClientsNeverShareAnIdentity() async throws {
        let seen = Locked<Set<CredentialIdentity>>([])
        let engine = Recorder { identity in
            if let identity { seen.withLock { _ = $0.insert(identity) } }
        }
        let makers: [() -> BearerCredential] = [
            { .token("a") }, { .token("b") }, { .provider(StaticTokenProvider(Secret("c"))) },
        ]
        for make in makers {
            for _ in 0..<2 {
                let credential = make()
                let api = BookshopClient(
                    server: .init(url: "https://api.test"), credentials: .init(partnerToken: credential),
                    engine: engine)
                _ = try? await api.books.list()
                _ = try? await api.books.get(bookId: "b")
            }
        }
        #expect(seen.withLock { $0.count } == 6)
    }
}
