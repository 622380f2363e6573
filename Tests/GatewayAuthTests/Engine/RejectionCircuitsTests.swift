import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// The memory of rejected credentials is bounded.
@Suite(.timeLimit(.minutes(1))) struct RejectionCircuitsTests {
    private let clock = ManualClock()

    private static func key(_ user: Int) throws -> RejectionCircuits.Key {
        RejectionCircuits.Key(credential: "user-\(user)", origin: try Origin("https://api.example.com"))
    }

    private static func token(_ generation: UInt64) -> RejectionCircuit.Token {
        RejectionCircuit.Token(epoch: 1, generation: generation)
    }

    @Test func credentialsByUserAreForgotten() throws {
        var circuits = RejectionCircuits()
        for user in 0..<5 * RejectionCircuits.maximumCount {
            _ = circuits.recordRejection(try Self.key(user), of: Self.token(2), now: clock.now)
            #expect(circuits.count <= RejectionCircuits.maximumCount)
        }
        #expect(circuits.count > RejectionCircuits.maximumCount / 2)
    }

    @Test func whatPausesIsForgottenLast() throws {
        var circuits = RejectionCircuits()
        let paused = try Self.key(-1)
        for generation in 2..<7 {
            _ = circuits.recordRejection(paused, of: Self.token(UInt64(generation)), now: clock.now)
        }
        #expect(circuits.pause(of: paused, at: clock.now) == RejectionCircuit.pause)
        for user in 0..<2 * RejectionCircuits.maximumCount {
            _ = circuits.recordRejection(try Self.key(user), of: Self.token(2), now: clock.now)
        }
        #expect(circuits.pause(of: paused, at: clock.now) == RejectionCircuit.pause)
        clock.advance(by: RejectionCircuit.pause)
        for user in 0..<2 * RejectionCircuits.maximumCount {
            _ = circuits.recordRejection(try Self.key(user), of: Self.token(3), now: clock.now)
        }
        #expect(circuits.end(paused) == nil)
    }
}
