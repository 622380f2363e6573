import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Who sees the credential, and who never does.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct OriginPolicyTests {
    private func engine(
        _ transport: any Transport, _ scope: CredentialScope,
        _ acquirer: ScriptedAcquirer = ScriptedAcquirer()
    ) -> (AuthenticatedRequestEngine, TokenRefreshCoordinator) {
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: ManualClock())
        return (
            AuthenticatedRequestEngine(transport: transport, coordinator: coordinator, scope: scope),
            coordinator
        )
    }

    @Test func onlyListedOriginsGetTheToken() async throws {
        let transport = ScriptedTransport(.status(200))
        let (engine, _) = engine(transport, try CredentialScope(["https://api.example.com"]))
        let urls = [
            "https://api.example.com/", "https://api.example.com:8443/", "http://api.example.com/",
            "https://example.com/", "https://api.example.com.evil.test/", "https://API.example.com:443/x",
        ]
        for url in urls { _ = try await engine.send(try HTTPRequest(.get, url)) }
        #expect(
            transport.requests.map { $0.fields[.authorization] != nil }
                == [true, false, false, false, false, true])
    }

    @Test func plainHTTPToAnotherMachineIsRefused() async throws {
        let transport = ScriptedTransport(.status(200))
        let acquirer = ScriptedAcquirer()
        let origins = ["http://api.example.com", "http://127.0.0.1:8080", "http://[::1]:8080"]
        let (engine, _) = engine(transport, try CredentialScope(origins), acquirer)
        let request = try HTTPRequest(.get, "http://api.example.com/")
        let result = await outcome { () throws(NetworkError) in try await engine.send(request) }
        #expect(result.code == .insecureOrigin)
        #expect(transport.requests.isEmpty)
        #expect(acquirer.count == 0)
        for origin in origins.dropFirst() {
            #expect(try await engine.send(try HTTPRequest(.get, origin)).status == 200)
        }
    }

    @Test func aRedirectHopToAnotherOriginIsNotStamped() async throws {
        let coordinator = TokenRefreshCoordinator(acquirer: ScriptedAcquirer(), clock: ManualClock())
        let hops = ["https://evil.test/", "http://api.example.com/", "https://billing.example.com/"]
        let below = RecordingEngine { request, context throws(NetworkError) in
            guard let credentials = context.credentials else { throw NetworkError(.other, "none") }
            try await credentials.ready(atLeast: 0, deadline: nil)
            for hop in hops {
                var hopped = try HTTPRequest(.get, hop)
                let result = Result { try credentials.stamp(&hopped, atLeast: 0) }
                #expect(throws: NetworkError.self) { try result.get() }
                #expect(!hopped.fields.contains(.authorization))
            }
            return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        }
        let engine = AuthenticatedRequestEngine(
            below: below, coordinator: coordinator,
            scope: CredentialScope([
                try Origin("https://api.example.com"): .default,
                try Origin("http://api.example.com"): .default,
                try Origin("https://billing.example.com"): TokenKey(scopes: ["billing"]),
            ]))
        #expect(try await engine.send(try HTTPRequest(.get, "https://api.example.com/")).status == 200)
    }

    @Test func aHandSetAuthorizationIsKept() async throws {
        let transport = ScriptedTransport(.status(401))
        let acquirer = ScriptedAcquirer()
        let (engine, _) = engine(transport, try CredentialScope(["https://api.example.com"]), acquirer)
        let response = try await engine.send(
            try HTTPRequest(.get, "https://api.example.com/", fields: [.authorization: "Basic eDp5"]))
        #expect(response.status == 401)
        #expect(response.exchange.stamp == nil)
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Basic eDp5"])
        #expect(acquirer.count == 0)
    }

    @Test func keysNeverGetEachOthersTokens() async throws {
        let transport = ScriptedTransport(.status(200))
        let acquirer = ScriptedAcquirer { request, _ in
            TokenGrant(accessToken: Secret("token-" + request.key.scopes.joined()))
        }
        let (engine, _) = engine(
            transport,
            CredentialScope([
                try Origin("https://a.example.com"): TokenKey(scopes: ["a"]),
                try Origin("https://b.example.com"): TokenKey(scopes: ["b"]),
            ]), acquirer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for call in 0..<100 {
                let url = call % 2 == 0 ? "https://a.example.com/" : "https://b.example.com/"
                group.addTask { _ = try await engine.send(try HTTPRequest(.get, url)) }
            }
            try await group.waitForAll()
        }
        for request in transport.requests {
            let expected = request.origin.host.hasPrefix("a.") ? "Bearer token-a" : "Bearer token-b"
            #expect(request.fields[.authorization] == expected)
        }
        #expect(acquirer.count == 2)
    }

    @Test func aCallNeverGoesOnUnderAnothersName() async throws {
        let gate = Gate()
        let gateway = FakeGateway(accepting: "token-2", gate: gate)
        let acquirer = ScriptedAcquirer()
        let (engine, coordinator) = engine(
            gateway, try CredentialScope(["https://api.example.com"]), acquirer)
        let before = coordinator.identity()
        let request = try HTTPRequest(.post, "https://api.example.com/orders", body: .text("of the first"))
        let call = Task { await outcome { () throws(NetworkError) in try await engine.send(request) } }
        await gate.waitForArrivals(1)
        coordinator.signOut()
        coordinator.signIn()
        #expect(coordinator.identity() != before)
        gate.open()
        #expect(await call.value.code == .signedOut)
        #expect(gateway.sent("/orders") == 1)
        // The next call is the second person's.
        #expect(try await engine.send(request).status == 200)
    }

    @Test func identitiesDifferBetweenLogins() async throws {
        let (engine, coordinator) = engine(
            ScriptedTransport(.status(200)), try CredentialScope(["https://api.example.com"]))
        var identities: Set<CredentialIdentity> = []
        for _ in 0..<5 {
            let request = try HTTPRequest(.get, "https://api.example.com/")
            let stamp = try await engine.send(request).exchange.stamp
            #expect(stamp?.identity == coordinator.identity())
            identities.insert(coordinator.identity())
            coordinator.signOut()
            identities.insert(coordinator.identity())
            let result = await outcome { () throws(NetworkError) in try await engine.send(request) }
            #expect(result.code == .signedOut)
            coordinator.signIn()
        }
        #expect(identities.count == 10)
    }

    @Test func anIdentityOutlivesARefresh() async throws {
        let (engine, _) = engine(
            FakeGateway(accepting: "token-2"), try CredentialScope(["https://api.example.com"]))
        let request = try HTTPRequest(.get, "https://api.example.com/")
        let first = try await engine.send(request).exchange.stamp
        let second = try await engine.send(request).exchange.stamp
        #expect(first?.generation == 2)
        #expect(first == second)
    }
}
