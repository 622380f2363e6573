import Foundation
import GatewayTesting
import Testing

/// Processes that share a store and a login, while everything around them goes wrong: no refresh token is used twice but
/// for a reason that no client can know of, no login is lost, and every call ends.
///
/// `GATEWAY_STORM_SEED` repeats a run, `GATEWAY_STORM_ROUND` one of its rounds.
@Suite(.serialized) struct StormTests {
    private static let rounds = 25

    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    private func run(over store: any StormStore, rounds: Int) async throws {
        let seed = Self.variable("GATEWAY_STORM_SEED") ?? UInt64.random(in: 1...999_999)
        let rig = try StormRig(store: store, seed: seed)
        let first = Self.variable("GATEWAY_STORM_ROUND").map { Int(clamping: $0) }
        let all = first.map { $0..<($0 + 1) } ?? 0..<SoakScale.rounds(rounds)
        do {
            print(try await rig.run(all))
        } catch {
            Issue.record("\(error)")
        }
        await rig.close()
    }

    @Test(.timeLimit(.minutes(90))) func filesSurviveAStorm() async throws {
        try await run(over: try StormFiles(), rounds: Self.rounds)
    }

    @Test(
        .timeLimit(.minutes(90)),
        .enabled(if: StormRedis.executable != nil, "needs redis-server; scripts/test.sh installs it"))
    func redisSurvivesAStorm() async throws {
        try await run(over: try await StormRedis(), rounds: Self.rounds)
    }
}
