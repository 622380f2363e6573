import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Refreshes of processes that share a store.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct StoredRefreshTests {
    private let rig = StoredRig()

    @Test func aTokenIsStoredBeforeItIsGivenOut() async throws {
        let gate = Gate()
        rig.store.set { $0.storeGate = gate }
        let process = rig.start()
        let caller = Task { try await process.token() }
        await gate.waitForArrivals(1)
        #expect(rig.server.count == 1)
        #expect(process.slot(for: .default).waiterCount == 1)
        #expect(process.slot(for: .default).state.withLock { $0.machine.token } == nil)
        gate.open()
        #expect(try await rig.secret(caller.value) == "a1")
        await eventually { rig.store.log.last == "release" }
        #expect(rig.store.log == ["load", "lock", "load", "extend", "load", "store 1", "release"])
        let grant = try await rig.shared.load(.default)?.grant
        #expect(grant?.refreshToken == Secret("r1"))
        #expect(grant?.expiresAt == rig.clock.unixTime + .seconds(3600))
    }

    @Test func aSecondProcessAsksNobody() async throws {
        #expect(try await rig.secret(rig.start().token()) == "a1")
        let second = rig.start()
        let lease = try await second.token()
        #expect(rig.secret(lease) == "a1")
        #expect(rig.server.count == 1)
        #expect(rig.happened("adopted") == 1)
    }

    @Test func manyProcessesAtOnceMakeOneRequest() async throws {
        let gate = Gate()
        rig.server.hold(1, gate)
        let processes = (0..<20).map { _ in rig.start() }
        let callers = processes.map { process in Task { try await process.token() } }
        await gate.waitForArrivals(1)
        await eventually { rig.store.log.count { $0 == "lock" } == 20 }
        gate.open()
        for caller in callers { #expect(try await rig.secret(caller.value) == "a1") }
        #expect(rig.server.count == 1)
    }

    @Test func aRejectionThatAnotherProcessHasDealtWithIsNoRequest() async throws {
        let (first, second) = (rig.start(), rig.start())
        let (a, b) = (try await first.token(), try await second.token())
        #expect(try await rig.secret(first.rejected(a)) == "a2")
        #expect(try await rig.secret(second.rejected(b)) == "a2")
        #expect(rig.server.used == ["r0", "r1"])
    }

    @Test func theRejectedTokenItselfIsNotAdopted() async throws {
        let first = rig.start()
        let a = try await first.token()
        // Another process has written the same access token again.
        guard let record = try await rig.shared.load(.default) else { return }
        let copy = StoredToken(key: .default, generation: 9, login: record.login, content: record.content)
        #expect(try await rig.shared.store(copy, for: .default, replacing: record.generation))
        #expect(try await rig.secret(first.rejected(a)) == "a2")
    }

    @Test func aStoredTokenNearItsEndIsRenewedAndNotAdopted() async throws {
        _ = try await rig.start().token()
        rig.clock.advance(by: .seconds(3580))
        #expect(try await rig.secret(rig.start().token()) == "a2")
        #expect(rig.server.used == ["r0", "r1"])
    }

    @Test(arguments: [-3600, 3600]) func clocksAnHourApartCauseNoLoop(skew: Int) async throws {
        let other = ManualClock(unixTime: rig.clock.unixTime + .seconds(skew))
        _ = try await rig.start().token()
        let second = rig.start(clock: other)
        let before = rig.server.count
        for _ in 0..<20 { _ = try await second.token() }
        #expect(rig.server.count - before <= 1)
        // A clock that is behind makes no token live longer than it was granted.
        other.advance(by: .seconds(3600))
        _ = try await second.token()
        #expect(rig.server.count - before >= 1)
    }

    @Test func noRefreshTokenInTheAnswerKeepsTheOldOne() async throws {
        rig.server.keepRefreshTokens()
        let process = rig.start()
        process.signIn(with: TokenGrant(accessToken: Secret("a0"), refreshToken: Secret("r0")))
        _ = try await process.rejected(process.token())
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r0"))
        _ = try await process.rejected(process.token())
        #expect(rig.server.used == ["r0", "r0"])
        // And without a rig.store.
        let alone = TokenRefreshCoordinator(acquirer: rig.server, policy: .impatient, clock: rig.clock)
        alone.signIn(with: TokenGrant(accessToken: Secret("a0"), refreshToken: Secret("r0")))
        for _ in 0..<3 { _ = try await alone.rejected(alone.token()) }
        #expect(rig.server.used.allSatisfy { $0 == "r0" })
    }
}
