import Foundation
import GatewayTesting
import TestTiers
import Testing
import TokenProbing

/// Processes that share a store and a login, while everything around them goes wrong: no refresh token is used twice but
/// for a reason that no client can know of, no login is lost, and every call ends.
///
/// `GATEWAY_STORM_SEED` repeats a run of many rounds, `GATEWAY_STORM_ROUND` one of its rounds.
@Suite(.serialized, .tags(.concurrent)) struct StormTests {
    // MARK: A few rounds

    @Test(.waits("processes are stopped, killed and started again"), .timeLimit(.minutes(5)))
    func filesSurviveAFewFaults() async throws {
        try await run(
            over: try StormFiles(),
            StormRound(
                0, .killSender(after: 5, restart: 20), .unavailable(times: 2), .deleteLocks, .revoke),
            StormRound(1, .stopSender(after: 5, 600), .lateAnswer(600), .damage(.cut), .copyDirectory),
            StormRound(
                2, .fullDisk(200), .lostRequest, .descriptors(place: 1, 200), .replaceLocks, .deleteRecord,
                .fileSize(place: 2, 200), .kill(place: 3, restart: 0)))
    }

    /// Without kills: what a killed process was sending holds the others up for as long as it may take.
    @Test(
        .waits("processes are stopped, and the server is started again"), .timeLimit(.minutes(5)),
        .enabled(if: RedisProcess.executable != nil, "needs redis-server; scripts/test.sh installs it"))
    func redisSurvivesAFewFaults() async throws {
        try await run(
            over: try await StormRedis(),
            StormRound(0, .stopSender(after: 5, 600), .lateAnswer(600), .scriptFlush, .pause(200)),
            StormRound(
                1, .damage(.cut), .restart(down: 100), .unavailable(times: 2), .lostRequest, .deleteRecord,
                .descriptors(place: 1, 200)))
    }

    private func run(over store: any StormStore, _ rounds: StormRound...) async throws {
        try await run(StormRig(store: store, limits: .gate), rounds)
    }

    // MARK: Many rounds

    private static let rounds = 25

    @Test(.realTime("1,000 rounds take an hour"), .timeLimit(.minutes(90)))
    func filesSurviveAStorm() async throws {
        try await run(over: try StormFiles(), rounds: Self.rounds)
    }

    @Test(
        .realTime("1,000 rounds take an hour"), .timeLimit(.minutes(90)),
        .enabled(if: RedisProcess.executable != nil, "needs redis-server; scripts/test.sh installs it"))
    func redisSurvivesAStorm() async throws {
        try await run(over: try await StormRedis(), rounds: Self.rounds)
    }

    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    private func run(over store: any StormStore, rounds: Int) async throws {
        let seed = Self.variable("GATEWAY_STORM_SEED") ?? TestSeed.value(11)
        let first = Self.variable("GATEWAY_STORM_ROUND").map { Int(clamping: $0) }
        let all = first.map { $0..<($0 + 1) } ?? 0..<SoakScale.rounds(rounds)
        try await run(
            StormRig(store: store, seed: seed), all.map { StormRound($0, seed: seed, store: store.kind) })
    }

    private func run(_ rig: StormRig, _ rounds: [StormRound]) async throws {
        do {
            print(try await rig.run(rounds))
        } catch {
            Issue.record("\(error)")
        }
        await rig.close()
    }
}
