import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// How often a call is stepped up, what is sent again, and when what was had ends.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct StepUpLimitTests {
    // MARK: How often

    @Test func oneAttemptACall() async throws {
        // It always asks for the next scope.
        let asked = Locked(0)
        let api = GuardedAPI { _ in
            let count = asked.withLock { count in
                count += 1
                return count
            }
            return "Bearer error=\"insufficient_scope\", scope=\"s\(count)\""
        }
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer, allowing: Set((0..<100).map { "s\($0)" }))
        let response = try await rig.send("/write")
        #expect(response.status == 403)
        #expect(response.exchange.attempts == 2)
        #expect(acquirer.count == 2)
    }

    @Test func refreshAndStepUpHaveBudgetsOfTheirOwn() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.numbering()
        let rig = try StepUpRig(api, acquirer)
        // 401, refresh, 403, step-up, 401: the second 401 is the caller's.
        api.revoke("read.0")
        api.revoke("read.write.2")
        let response = try await rig.send("/write")
        #expect(response.status == 401)
        #expect(response.exchange.attempts == 3)
        #expect(api.tokens == ["read.0", "read.1", "read.write.2"])
        // The next call finds the rejected token, and renews that one.
        #expect(try await rig.send("/write").status == 200)
        #expect(api.tokens.last == "read.write.3")
    }

    @Test func aRefreshMayFollowAStepUp() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.numbering()
        let rig = try StepUpRig(api, acquirer)
        api.revoke("read.write.1")
        let response = try await rig.send("/write")
        #expect(response.status == 200)
        #expect(response.exchange.attempts == 3)
        #expect(response.exchange.stamp?.generation == 2)
        #expect(api.tokens == ["read.0", "read.write.1", "read.write.2"])
    }

    @Test func aDemandToAuthenticateAgainRefreshesNothing() async throws {
        let api = ScriptedTransport(
            .status(
                401,
                fields: [
                    .wwwAuthenticate: "Bearer error=\"insufficient_user_authentication\", acr_values=\"mfa\""
                ]))
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        #expect(try await rig.send("/read").status == 401)
        #expect(api.requests.count == 1)
        #expect(acquirer.count == 1)
    }

    // MARK: Replays

    @Test func aBodyThatIsGoneIsNotSentAgain() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        #expect(try await rig.send("/write", .post, body: .once(OneShotPieces())).status == 403)
        #expect(api.sent == ["/write"])
        // The token is had all the same: the next call finds it.
        await eventually { acquirer.count == 2 }
        var next = try await rig.send("/write", .post, body: .once(OneShotPieces()))
        for _ in 0..<100 where next.status != 200 {
            next = try await rig.send("/write", .post, body: .once(OneShotPieces()))
        }
        #expect(next.status == 200)
        #expect(next.exchange.attempts == 1)
        #expect(acquirer.count == 2)
    }

    @Test func aReplayedBodyIsTheSameByteForByte() async throws {
        let api = GuardedAPI()
        let rig = try StepUpRig(api, ScriptedAcquirer.grantingAll())
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try await rig.send("/write", .post, body: .bytes(bytes)).status == 200)
        #expect(api.bodies == [bytes, bytes])
    }

    @Test func aCallCancelledMeanwhileIsNotReplayed() async throws {
        let gate = Gate()
        let api = GuardedAPI()
        let rig = try StepUpRig(api, ScriptedAcquirer.holdingFurtherScopes(at: gate))
        let request = try HTTPRequest(.get, StepUpRig.origin + "/write")
        let call = Task { await outcome { () throws(NetworkError) in try await rig.engine.send(request) } }
        await gate.waitForArrivals(1)
        call.cancel()
        #expect(await call.value.code == .cancelled)
        gate.open()
        #expect(api.sent.count == 1)
    }

    @Test func aCallCancelledWhenTheTokenIsThereIsNotReplayed() async throws {
        let gate = Gate()
        let api = GuardedAPI(gate: gate)
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(api, acquirer)
        let first = try HTTPRequest(.get, StepUpRig.origin + "/write")
        let call = Task { await outcome { () throws(NetworkError) in try await rig.engine.send(first) } }
        await gate.waitForArrivals(1)
        call.cancel()
        gate.open()
        #expect(await call.value.code == .cancelled)
        #expect(api.sent.count == 1)
    }

    // MARK: Logins

    @Test func itEndsWithTheLogin() async throws {
        let api = GuardedAPI()
        let acquirer = ScriptedAcquirer.numbering()
        let rig = try StepUpRig(api, acquirer)
        let before = try await rig.send("/write")
        rig.coordinator.signOut(StepUpRig.key)
        let request = try HTTPRequest(.get, StepUpRig.origin + "/write")
        #expect(
            await outcome { () throws(NetworkError) in try await rig.engine.send(request) }.code == .signedOut
        )
        rig.coordinator.signIn(StepUpRig.key)
        // The next login begins with its own token, and is asked for the further scope anew.
        let response = try await rig.engine.send(request)
        #expect(response.status == 200)
        #expect(response.exchange.attempts == 2)
        #expect(api.tokens == ["read.0", "read.write.1", "read.2", "read.write.3"])
        #expect(response.exchange.stamp?.identity.key == before.exchange.stamp?.identity.key)
        #expect(response.exchange.stamp?.identity != before.exchange.stamp?.identity)
    }

    @Test func aSignOutDuringItEndsTheCall() async throws {
        let gate = Gate()
        let api = GuardedAPI()
        let rig = try StepUpRig(api, ScriptedAcquirer.holdingFurtherScopes(at: gate))
        let request = try HTTPRequest(.get, StepUpRig.origin + "/write")
        let call = Task { await outcome { () throws(NetworkError) in try await rig.engine.send(request) } }
        await gate.waitForArrivals(1)
        rig.coordinator.signOut(StepUpRig.key)
        rig.coordinator.signIn(StepUpRig.key)
        #expect(await call.value.code == .signedOut)
        gate.open()
        #expect(api.sent.count == 1)
    }

    @Test func aStoreHoldsNoSuchToken() async throws {
        let store = MemoryTokenStore()
        let api = GuardedAPI()
        let rig = try StepUpRig(api, ScriptedAcquirer.grantingAll(), store: store)
        #expect(try await rig.send("/write").status == 200)
        #expect(try await store.load(StepUpRig.key)?.grant?.accessToken == Secret("read.token"))
        let wide = TokenKey(client: "app", scopes: ["read", "write"])
        #expect(try await store.load(wide) == nil)
    }
}
