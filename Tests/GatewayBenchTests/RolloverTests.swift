import Foundation
import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Tokens that end while calls are made: no call fails, no 401 is seen, and one token is requested in each lifetime.
/// `scripts/soak.sh` does it with `gateway-bench rollover` at the highest rate of calls that the machine gives.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RolloverTests {
    /// Issues tokens that end on a test's clock.
    private final class TokenServer: TokenAcquirer {
        static let lifetime = Duration.seconds(100)

        private let clock: ManualClock
        private let issued = Locked<[ContinuousClock.Instant]>([])

        init(clock: ManualClock) { self.clock = clock }

        /// When each token was issued.
        var instants: [ContinuousClock.Instant] { issued.withLock { $0 } }

        func acquire(_ request: TokenRequest) async throws -> TokenGrant {
            let number = issued.withLock { issued in
                issued.append(clock.now)
                return issued.count
            }
            return TokenGrant(
                accessToken: Secret("\(number)"), expiresIn: Self.lifetime,
                refreshToken: Secret("refresh \(number)"))
        }

        /// Whether an API accepts a token now.
        func accepts(_ token: Secret) -> Bool {
            guard let number = Int(token.exposed), instants.indices.contains(number - 1) else { return false }
            return clock.now < instants[number - 1] + Self.lifetime
        }
    }

    /// What the refreshes of all processes have come to.
    private final class Tally: Sendable {
        private struct Counts {
            var started = 0
            var refreshed = 0
            var adopted = 0
            var failed = 0
        }

        private let counts = Locked(Counts())

        var adopted: Int { counts.withLock { $0.adopted } }
        var failed: Int { counts.withLock { $0.failed } }
        var isIdle: Bool { counts.withLock { $0.started == $0.refreshed + $0.adopted + $0.failed } }

        func record(_ event: TokenEvent) {
            counts.withLock { counts in
                switch event.kind {
                case .refreshStarted: counts.started += 1
                case .refreshed: counts.refreshed += 1
                case .adopted: counts.adopted += 1
                case .refreshFailed: counts.failed += 1
                default: break
                }
            }
        }
    }

    /// `auth.rollover`: each coordinator stands for a process. A process that adopts a token does so before the next step.
    @Test(arguments: [1, 4]) func eachTokenIsRequestedOnce(processes: Int) async throws {
        let clock = ManualClock()
        let (server, tally) = (TokenServer(clock: clock), Tally())
        let store = processes == 1 ? nil : MemoryTokenStore(clock: clock)
        let coordinators = (0..<processes).map { number in
            TokenRefreshCoordinator(
                acquirer: server, store: store, clock: clock,
                random: SeededRandomSource(seed: TestSeed.value(UInt64(number) + 1)),
                onEvent: tally.record)
        }
        let (lifetimes, step) = (20, Duration.seconds(1))
        // After the last token there are enough steps for each process to adopt it, and too few for another one.
        var last = 20
        for _ in 0..<100 * (lifetimes + 1) where last > 0 {
            if server.instants.count > lifetimes { last -= 1 }
            await withTaskGroup(of: Bool.self) { group in
                for coordinator in coordinators {
                    for _ in 0..<4 {
                        group.addTask {
                            guard let lease = try? await coordinator.token() else { return false }
                            return server.accepts(lease.accessToken)
                        }
                    }
                }
                for await isAccepted in group { #expect(isAccepted) }
            }
            try #require(await isEventually { tally.isIdle })
            clock.advance(by: step)
        }
        let instants = server.instants
        #expect(instants.count == lifetimes + 1 && tally.failed == 0)
        // Each process has each token.
        #expect(tally.adopted == (processes - 1) * (lifetimes + 1))
        // Renewal begins in the last fifth, and a token in its last tenth is not used.
        for gap in zip(instants.dropFirst(), instants).map({ $0 - $1 }) {
            #expect((.seconds(80)...(.seconds(90) + step)).contains(gap), "\(gap)")
        }
    }

    private struct Report: Decodable {
        let failed_calls: Int
        let unauthorized_at_server: Int
        let unauthorized_at_clients: Int
        let token_requests: Int
        let failures: [String]
    }

    /// The command finds what calls would not notice: a token that a server ends early.
    @Test(.waits("the command ends a token after 0.7 s, and looks for the next one after as long again"))
    func theMeasurementTellsWhatItSees() async throws {
        let run = try await BenchCommand.run([
            "rollover", "--json", "--seconds", "60", "--lifetimes", "1", "--revoke", "--rate", "50",
            "--concurrency", "2",
        ])
        #expect(run.status == 1)
        let report = try JSONDecoder().decode(Report.self, from: Data(run.out.utf8))
        #expect(report.unauthorized_at_server > 0 && report.unauthorized_at_clients > 0)
        #expect(report.failed_calls == 0 && report.token_requests >= 2)
        #expect(report.failures.contains { $0.contains("401") })
    }
}
