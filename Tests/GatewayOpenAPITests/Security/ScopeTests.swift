import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// Tokens by scope, and 403s that ask for more of it.
@Suite(.timeLimit(.minutes(1))) struct ScopeTests {
    private func own() -> OAuthCredential { .clientCredentials(id: "me", secret: "s") }

    // MARK: By scope

    @Test(.tags(.concurrent)) func concurrentCallsNeverGetEachOthersToken() async throws {
        let server = DepotServer()
        let api = server.api(.init(depotAuth: own()))
        for _ in 0..<3 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await api.read() }
                    group.addTask { try await api.write() }
                }
                try await group.waitForAll()
            }
            server.revoke("read")
            server.revoke("write")
        }
        #expect(
            server.calls.allSatisfy {
                $0.fields[.authorization]?.hasPrefix("Bearer \($0.target.dropFirst())/") == true
            })
        let scopes = server.tokenForms.map { $0["scope"] }
        #expect(scopes.count { $0 == "read" } == 3 && scopes.count { $0 == "write" } == 3)
    }

    @Test func allScopesAtOnceByOption() async throws {
        let server = DepotServer()
        let api = server.api(.init(depotAuth: own().scopes(.ofDocument)))
        try await api.read()
        try await api.write()
        #expect(server.tokenForms.map { $0["scope"] } == ["audit read write"])
        let exact = server.api(.init(depotAuth: own().scopes(.exactly(["write", "read"]))))
        try await exact.read()
        try await exact.write()
        #expect(server.tokenForms.map { $0["scope"] } == ["audit read write", "read write"])
    }

    // MARK: Step-up

    @Test func aListedScopeIsHadOnceAndTheCallSentAgain() async throws {
        let server = DepotServer()
        server.state.withLock { $0.demanded = "write audit" }
        let api = server.api(.init(depotAuth: own()))
        #expect(try await api.withResponse.write().attempts == 2)
        #expect(try await api.withResponse.write().attempts == 1)
        #expect(server.tokenForms.map { $0["scope"] } == ["write", "audit write"])
        // Others keep to the least.
        try await api.read()
        #expect(server.authorizations.last == "Bearer read/1")
    }

    @Test func itReachesThroughOtherSchemesOfTheAlternative() async throws {
        let server = DepotServer()
        server.state.withLock { $0.demanded = "write audit" }
        let engine = server.engine()
        var credentials = ConfiguredCredentials()
        credentials.oauth(
            "a", own(), tokenURL: "https://auth.depot.example/token", scopes: "audit write")
        credentials.apiKeyHeader("b", "k", "X-Depot-Key")
        let client = APIClient(
            server: "https://api.depot.example", credentials: credentials, defaults: CallOptions(),
            engine: engine)
        let descriptor = OperationDescriptor(
            id: "op", method: "GET", path: "/write", accept: "*/*", security: "a write\tb",
            idempotencyKey: nil)
        for attempts in [2, 1] {
            let reply = await RequestBuilder(client, descriptor, CallOptions()).send()
            let response: APIResponse<Void, UndocumentedHeaders> = try reply.empty(
                from: 200, through: 299, NoDocumentedFailure.self)
            #expect(response.attempts == attempts)
        }
        #expect(server.calls.allSatisfy { $0.fields["X-Depot-Key"] == "k" })
        #expect(server.authorizations.last == "Bearer audit+write/1")
    }

    /// Neither a scope that the document does not list, nor one that nobody grants, nor a second time.
    @Test(arguments: ["write root", "root", "write audit root"])
    func nobodyIsTalkedIntoOtherScopes(demanded: String) async throws {
        let server = DepotServer()
        server.state.withLock { $0.demanded = demanded }
        let api = server.api(.init(depotAuth: own()))
        #expect(await failure { try await api.write() }?.status == 403)
        let asked = server.tokenForms.compactMap { $0["scope"] }
        #expect(!asked.contains { $0.contains("root") })
        #expect(server.calls.count <= 2 && asked.count == server.calls.count)
    }

    @Test func itCanBeSwitchedOff() async throws {
        let server = DepotServer()
        server.state.withLock { $0.demanded = "write audit" }
        let api = server.api(.init(depotAuth: own(), options: .init(stepsUp: false)))
        #expect(await failure { try await api.write() }?.status == 403)
        #expect(server.calls.count == 1 && server.tokenForms.count == 1)
    }

    /// A refresh token is one, and keys and passwords have no scopes.
    @Test func whatCannotStepUpDoesNot() async throws {
        let server = DepotServer()
        server.state.withLock { $0.demanded = "write audit" }
        server.state.withLock { $0.granted = "write" }
        let refreshed = server.api(.init(depotAuth: .refreshToken("r", clientID: "app")))
        #expect(await failure { try await refreshed.write() }?.status == 403)
        #expect(server.tokenForms.count == 1)
        let fixed = server.api(.init(depotAuth: .token("write/1")))
        #expect(await failure { try await fixed.write() }?.status == 403)
        let keyed = ScriptedEngine(
            .status(403, fields: ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="audit""#]))
        let api = DepotClient(
            credentials: .init(headerKey: "k", staff: .init(user: "u", password: "p")),
            engine: AuthenticatedRequestEngine(below: keyed))
        #expect(await failure { try await api.any() }?.status == 403)
        #expect(keyed.requests.count == 1 && server.tokenForms.count == 1)
    }
}
