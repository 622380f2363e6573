import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// 403s that ask for further scopes: what is had, and what is not.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct StepUpTests {
    // MARK: What is had

    @Test func aListedScopeIsHadOnceAndLaterCallsBeginWithIt() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        let first = try await rig.send("/read")
        let response = try await rig.send("/write")
        #expect(response.status == 200)
        #expect(response.exchange.attempts == 2)
        #expect(response.exchange.stamp?.identity != first.exchange.stamp?.identity)
        #expect(try await rig.send("/write").exchange.attempts == 1)
        #expect(try await rig.send("/read").status == 200)
        #expect(api.sent == ["/read", "/write", "/write", "/write", "/read"])
        #expect(acquirer.requests.map(\.key.scopes) == [["read"], ["read", "write"]])
        #expect(acquirer.requests.map(\.key.client) == ["app", "app"])
        // What others have of the same key is not touched.
        #expect(try await rig.coordinator.token(for: StepUpRig.key).accessToken == Secret("read.token"))
    }

    @Test func theChallengeNeedNotStandFirst() async throws {
        let api = GuardedAPI {
            "Basic realm=\"a, b\", Newauth abc==, bearer realm=\"api\", error=\"insufficient_scope\", scope=\"\($0)\""
        }
        let rig = try StepUpRig(api, ScriptedAcquirer.grantingAll())
        #expect(try await rig.send("/write").status == 200)
    }

    @Test func scopesAddUp() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        for path in ["/write", "/admin", "/write", "/read"] {
            #expect(try await rig.send(path).status == 200)
        }
        #expect(
            acquirer.requests.map(\.key.scopes) == [
                ["read"], ["read", "write"], ["admin", "read", "write"],
            ])
        #expect(api.sent.count == 6)
    }

    @Test func aThousandStepUpsAreOneTokenRequest() async throws {
        let gate = Gate()
        let api = GuardedAPI(gate: gate)
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        _ = try await rig.coordinator.token(for: StepUpRig.key)
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<1000 { group.addTask { try await rig.send("/write") } }
            await gate.waitForArrivals(1000)
            gate.open()
            for try await response in group { #expect(response.status == 200) }
        }
        #expect(acquirer.count == 2)
        #expect(api.sent.count == 2000)
    }

    /// The wait for the wider token is an event like that for the first one; a token that is there is none.
    @Test func waitsForFurtherScopesAreEvents() async throws {
        let clock = ManualClock()
        let acquirer = ScriptedAcquirer { request, _ in
            clock.advance(by: .milliseconds(80))
            return TokenGrant(
                accessToken: Secret((request.key.scopes + ["token"]).joined(separator: ".")),
                expiresIn: .seconds(3600), scopes: request.key.scopes)
        }
        let rig = try StepUpRig(GuardedAPI(), acquirer, clock: clock)
        let recorder = EventRecorder()
        for _ in 0..<2 {
            var context = RequestContext(clock: clock)
            context.events = recorder
            let request = try HTTPRequest(.get, StepUpRig.origin + "/write")
            #expect(try await rig.engine.send(request, context: context).status == 200)
        }
        let waits = recorder.events.compactMap { event -> Duration? in
            if case .credentialWaited(let duration) = event.kind { duration } else { nil }
        }
        #expect(waits == [.milliseconds(80), .milliseconds(80)])
    }

    @Test func aTokenThatIsNotAtHandIsNotWaitedFor() async throws {
        let clock = ManualClock()
        let isDown = Locked(false)
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer { request, _ in
            if request.key.scopes.count > 1, isDown.withLock({ $0 }) {
                throw NetworkError(.connectionRefused, "down")
            }
            return TokenGrant(
                accessToken: Secret((request.key.scopes + ["token"]).joined(separator: ".")),
                expiresIn: .seconds(60))
        }
        let rig = try StepUpRig(api, acquirer, clock: clock)
        #expect(try await rig.send("/write").status == 200)
        isDown.withLock { $0 = true }
        clock.advance(by: .seconds(61))
        // A call that does not need the further scope does not fail for its sake.
        #expect(try await rig.send("/read").status == 200)
        #expect(api.tokens.last == "read.token")
        #expect(try await rig.send("/write").status == 403)
    }

    // MARK: What is not had

    @Test func byDefaultNothingIs() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer, allowing: [])
        let response = try await rig.send("/write")
        #expect(response.status == 403)
        #expect(response.exchange.attempts == 1)
        #expect(acquirer.count == 1)
    }

    @Test func anAPINamesNoScopeThatIsNotListed() async throws {
        let acquirer = ScriptedAcquirer.grantingAll()
        let api = GuardedAPI { "Bearer error=\"insufficient_scope\", scope=\"\($0) root openid read\"" }
        let rig = try StepUpRig(api, acquirer, allowing: ["write"])
        #expect(try await rig.send("/root").status == 403)
        #expect(try await rig.send("/write").status == 200)
        #expect(acquirer.requests.map(\.key.scopes) == [["read"], ["read", "write"]])
    }

    @Test func anotherOriginOfTheSameKeyGetsNothing() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        #expect(try await rig.send("/write").status == 200)
        let other = try HTTPRequest(.get, "https://other.example.com/write")
        #expect(try await rig.engine.send(other).status == 403)
        #expect(api.tokens.last == "read.token")
        #expect(acquirer.count == 2)
    }

    @Test(arguments: [
        "", "Bearer", "Bearer error=\"insufficient_scope\"",
        "Bearer error=\"invalid_token\", scope=\"write\"",
        "Bearer scope=\"write\"", "Basic realm=\"x\"", "DPoP error=\"insufficient_scope\", scope=\"write\"",
        "Bearer error=\"insufficient_scope\", scope=\"read\"",
        "Bearer error=\"insufficient_scope\", scope=\"\"",
        "Bearer error=\"insufficient_scope\", scope=\"write",
        "Bearer error=\"insufficient_scope\" scope=write",
    ])
    func a403ThatNamesNothingNewChangesNothing(challenge: String) async throws {
        let api = GuardedAPI { _ in challenge }
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        let response = try await rig.send("/write")
        #expect(response.status == 403)
        #expect(api.sent.count == 1)
        #expect(acquirer.count == 1)
    }

    @Test func noAddressInAChallengeIsCalled() async throws {
        let challenge =
            "Bearer realm=\"https://evil.test/\", resource_metadata=\"https://evil.test/meta\", "
            + "authorization_uri=\"https://evil.test/login\", error_uri=\"https://evil.test/error\", "
            + "error=\"insufficient_scope\", scope=\"write\""
        let api = ScriptedTransport { request, _ in
            request.fields[.authorization] == "Bearer read.write.t"
                ? .status(200) : .status(403, fields: [.wwwAuthenticate: challenge])
        }
        let login = ScriptedTransport { request, _ in
            let isWide = String(decoding: request.body.bytes ?? [], as: UTF8.self).contains("write")
            return .status(200, #"{"access_token":"\#(isWide ? "read.write.t" : "read.t")","expires_in":60}"#)
        }
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"), transport: login)
        let rig = try StepUpRig(api, ClientCredentials(endpoint: endpoint))
        #expect(try await rig.send("/write").status == 200)
        #expect(Set(api.requests.map(\.origin.host)) == ["api.example.com"])
        #expect(login.requests.map(\.target) == ["/token", "/token"])
    }

    @Test func whatIsNotGrantedIsNotTriedAgain() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer { _, _ in
            TokenGrant(accessToken: Secret("read.token"), expiresIn: .seconds(3600), scopes: ["read"])
        }
        let rig = try StepUpRig(api, acquirer)
        for _ in 0..<5 { #expect(try await rig.send("/write").status == 403) }
        #expect(api.sent.count == 5)
        #expect(acquirer.count == 2)
    }

    @Test(arguments: [NetworkError.Code.credentialMisconfigured, .interactionRequired, .connectionRefused])
    func aTokenThatCannotBeHadLeavesThe403(code: NetworkError.Code) async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer { request, _ in
            if request.key.scopes.count > 1 { throw NetworkError(code, "no") }
            return TokenGrant(accessToken: Secret("read.token"), expiresIn: .seconds(3600))
        }
        let rig = try StepUpRig(api, acquirer)
        for _ in 0..<5 { #expect(try await rig.send("/write").status == 403) }
        #expect(try await rig.send("/read").status == 200)
        #expect(acquirer.count == 2)
        #expect(api.sent.count == 6)
    }

    @Test func aRefreshTokenIsNotSpentForIt() async throws {
        let login = ScriptedTransport(
            .status(200, #"{"access_token":"read.token","refresh_token":"r1","expires_in":3600}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"), transport: login)
        let api = GuardedAPI()
        let rig = try StepUpRig(api, RefreshTokenGrant(endpoint: endpoint, initial: Secret("r0")))
        #expect(try await rig.send("/write").status == 403)
        #expect(login.requests.count == 1)
    }
}
