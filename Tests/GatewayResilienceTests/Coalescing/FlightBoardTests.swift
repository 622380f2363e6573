import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct FlightBoardTests {
    /// Random events in random order: each waiter is handed out exactly once, and nothing is left behind.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func everyWaiterIsHandedOutOnce(seed: UInt64) throws {
        let random = SeededRandomSource(seed: seed)
        let start = ContinuousClock.now
        let identities = try (0..<3).compactMap {
            RequestIdentity(try HTTPRequest(.get, "http://h/\($0)"), context: RequestContext())
        }
        var board = FlightBoard<Int>()
        var handedOut: [Int: Int] = [:]
        var flights: [UInt64] = []
        var departures: [UInt64: UInt64] = [:]
        func handOut(_ waiters: [Int]) { for waiter in waiters { handedOut[waiter, default: 0] += 1 } }

        for step in 1...200 {
            switch random.int(in: 0..<10) {
            case 0..<5:
                let generation = UInt64(random.int(in: 0..<3))
                let deadline = Deadline(start + .seconds(random.int(in: 1..<100)))
                let action = board.join(
                    identities[random.int(in: 0..<3)], minimumGeneration: generation, deadline: deadline,
                    id: UInt64(step), waiter: step)
                switch action {
                case .depart(let flight, _):
                    flights.append(flight)
                    departures[flight] = generation
                case .board(let flight, _): #expect(departures[flight]! >= generation)
                case .turnAway(let waiter): handOut([waiter])
                }
            case 5..<7:
                let id = UInt64(random.int(in: 1..<210))
                handOut(board.leave(id).waiter.map { [$0] } ?? [])
                if handedOut[Int(id)] != nil || id <= step { board.forget(id) }
            case 7:
                let now = start + .seconds(random.int(in: 1..<100))
                guard !flights.isEmpty else { break }
                handOut(board.expire(flights[random.int(in: 0..<flights.count)], now: now).waiters)
            default:
                if let flight = flights.popLast() { handOut(board.end(flight)) }
            }
            #expect(board.waiterCount == 0 || board.flightCount > 0)
        }
        for flight in flights { handOut(board.end(flight)) }
        #expect(board.flightCount == 0)
        #expect(board.waiterCount == 0)
        #expect(handedOut.values.allSatisfy { $0 == 1 })
    }
}
