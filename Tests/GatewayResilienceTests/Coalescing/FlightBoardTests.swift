import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct FlightBoardTests {
    /// Random events in random order: each follower is handed out exactly once, and nothing is left behind.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func everyFollowerIsHandedOutOnce(seed: UInt64) throws {
        typealias Board = FlightBoard<Int>
        let random = SeededRandomSource(seed: seed)
        let start = ContinuousClock.now
        let identities = try (0..<3).compactMap {
            RequestIdentity(try HTTPRequest(.get, "http://h/\($0)"), context: RequestContext())
        }
        var board = Board()
        var handedOut: [Int: Int] = [:]
        var followed: Set<Int> = []
        var seats: [Board.Seat] = []
        var flights: [(identity: RequestIdentity, id: UInt64, generation: UInt64)] = []
        func handOut(_ waiters: [Int]) { for waiter in waiters { handedOut[waiter, default: 0] += 1 } }

        for step in 1...200 {
            switch random.int(in: 0..<10) {
            case 0..<5:
                let generation = UInt64(random.int(in: 0..<3))
                let identity = identities[random.int(in: 0..<3)]
                let deadline = Deadline(start + .seconds(random.int(in: 1..<100)))
                switch board.follow(
                    identity, minimumGeneration: generation, deadline: deadline, waiter: step)
                {
                case .lead(let id): flights.append((identity, id, generation))
                case .wait(let seat, _):
                    followed.insert(step)
                    seats.append(seat)
                    let flight = flights.first { $0.id == seat.flight }
                    #expect(flight?.identity == identity)
                    #expect((flight?.generation ?? 0) >= generation)
                }
            case 5:
                guard !seats.isEmpty else { break }
                let seat = seats.remove(at: random.int(in: 0..<seats.count))
                handOut(board.leave(seat).map { [$0] } ?? [])
                #expect(board.leave(seat) == nil)
            case 6:
                guard !flights.isEmpty else { break }
                let flight = flights[random.int(in: 0..<flights.count)]
                let now = start + .seconds(random.int(in: 1..<100))
                handOut(board.expire(flight.identity, flight: flight.id, now: now).waiters)
            case 7:
                guard !flights.isEmpty else { break }
                let index = random.int(in: 0..<flights.count)
                if let succession = board.resign(flights[index].identity, flight: flights[index].id) {
                    handOut([succession.waiter])
                    #expect(succession.minimumGeneration == flights[index].generation)
                } else {
                    flights.remove(at: index)
                }
            default:
                guard !flights.isEmpty else { break }
                let flight = flights.remove(at: random.int(in: 0..<flights.count))
                handOut(board.end(flight.identity, flight: flight.id))
            }
            #expect(board.flightCount == flights.count)
        }
        for flight in flights { handOut(board.end(flight.identity, flight: flight.id)) }
        #expect(board.flightCount == 0)
        #expect(board.followerCount == 0)
        #expect(Set(handedOut.keys) == followed)
        #expect(handedOut.values.allSatisfy { $0 == 1 })
    }
}
