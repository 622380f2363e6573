import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// People who sign in to what a generated client calls.
@Suite(.timeLimit(.minutes(2))) struct LoginTests {
    private let gateway: EmbeddedGateway
    private let login: OAuthLogin

    init() throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.clients[0].isPublic = true
        configuration.clients[0].redirectURIs = ["http://127.0.0.1/callback"]
        configuration.deviceCodes.interval = .seconds(1)
        gateway = try .start(configuration)
        login = OAuthLogin(clientID: gateway.client.id)
    }

    private func api(_ change: (OAuthCredential) -> OAuthCredential = { $0 }) -> BookshopClient {
        BookshopClient(
            server: .init(url: gateway.apiURL),
            credentials: .init(
                bookshopAuth: change(.login(login).at(issuer: gateway.tokenOrigin.description))))
    }

    private func code(_ call: () async throws -> Void) async -> NetworkError.Code? {
        do { try await call() } catch {
            return (error as? any GatewayCallError)?.code ?? (error as? NetworkError)?.code
        }
        return nil
    }

    @Test(.waits("a device asks at most once a second, and generated clients have no clock for it"))
    func aDeviceSignsInOnceForAllScopes() async throws {
        defer { gateway.shutdown() }
        let api = api()
        #expect(await code { _ = try await api.books.list() } == .reauthenticationRequired)
        let gateway = gateway
        try await login.byDevice { prompt in
            gateway.approveDevice(userCode: prompt.userCode)
        }
        _ = try await api.books.list()
        _ = try await api.stock.set(bookId: "bk-1", .init(copies: 1))
        gateway.revokeCurrentTokens()
        _ = try await api.books.list()
        #expect(gateway.statistics.tokenRequests["refresh_token"] == 1)
        try login.signOut()
        #expect(await code { _ = try await api.books.list() } == .signedOut)
    }

    @Test func somebodySignsInByABrowser() async throws {
        defer { gateway.shutdown() }
        let api = api()
        try await login.byBrowser(deadline: .after(.seconds(3600))) { url in
            let browser = CurlTransport()
            let redirect = try await browser.send(try HTTPRequest(.get, url), context: RequestContext())
            let place = try #require(redirect.fields["Location"])
            _ = try await browser.send(try HTTPRequest(.get, place), context: RequestContext())
        }
        _ = try await api.books.list()
    }

    @Test func aStoreKeepsTheLogin() async throws {
        defer { gateway.shutdown() }
        let store = MemoryTokenStore()
        let api = api { $0.stored(in: store, for: "reader") }
        let signedIn = try gateway.signIn()
        try login.signIn(
            with: TokenGrant(accessToken: signedIn.access.token, refreshToken: signedIn.refreshToken))
        _ = try await api.books.list()
        try await login.waitUntilStored()
        let later = BookshopClient(
            server: .init(url: gateway.apiURL),
            credentials: .init(
                bookshopAuth: .login(OAuthLogin(clientID: gateway.client.id))
                    .at(issuer: gateway.tokenOrigin.description).stored(in: store, for: "reader")))
        _ = try await later.books.list()
    }

    @Test func clientsThatAskElsewhereDoNotShareALogin() async throws {
        defer { gateway.shutdown() }
        #expect(throws: NetworkError.self) { try login.signOut() }
        let (first, second) = (api(), api())
        let signedIn = try gateway.signIn()
        try login.signIn(
            with: TokenGrant(accessToken: signedIn.access.token, refreshToken: signedIn.refreshToken))
        _ = try await first.books.list()
        _ = try await second.books.list()
        let elsewhere = api { $0.at(tokenURL: "https://login.example/token") }
        #expect(await code { _ = try await elsewhere.books.list() } == .credentialMisconfigured)
    }
}
