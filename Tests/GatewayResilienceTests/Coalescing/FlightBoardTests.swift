import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct FlightBoardTests {
    /// Random calls that come, end and hand over, and changes: each call joins the newest flight of its request that its
    /// generation and the changes allow, and nothing is left behind.
    @Test func everyCallJoinsTheFlightThatItMay() throws {
        let random = SeededRandomSource(seed: TestSeed.value(0))
        for _ in 0..<SoakScale.rounds(20) { try run(random) }
    }

    private func run(_ random: SeededRandomSource) throws {
        typealias Board = FlightBoard<Int>
        struct Flight {
            let id: UInt64
            let request: Int
            let generation: UInt64
            var followers: [UInt64] = []
            var isOpen = true
        }
        let clock = ManualClock()
        let origin = try Origin("http://h")
        let identities = try (0..<3).compactMap {
            RequestIdentity(try HTTPRequest(.get, "http://h/\($0)"), context: RequestContext())
        }
        var board = Board()
        var flights: [Flight] = []
        for _ in 0..<200 {
            let chosen = flights.isEmpty ? nil : random.int(in: 0..<flights.count)
            switch (random.int(in: 0..<10), chosen) {
            case (0..<6, _), (_, nil):
                let request = random.int(in: 0..<3)
                var context = RequestContext()
                context.minimumGeneration = UInt64(random.int(in: 0..<3))
                let open = flights.firstIndex { $0.request == request && $0.isOpen }
                let mayJoin = open.map { flights[$0].generation >= context.minimumGeneration } ?? false
                switch board.follow(identities[request], context, clock: clock) {
                case .lead(let id):
                    #expect(!mayJoin)
                    if let open { flights[open].isOpen = false }
                    flights.append(
                        Flight(id: id, request: request, generation: context.minimumGeneration))
                case .wait(let id, let followers, let follower, _, _):
                    let open = try #require(open)
                    #expect(mayJoin && flights[open].id == id)
                    flights[open].followers.append(follower)
                    #expect(followers.waiterCount == flights[open].followers.count)
                }
            case (6, let index?):
                let identity = identities[flights[index].request]
                let followers = board.endUnlessFollowed(flights[index].id, identity)
                #expect((followers == nil) == flights[index].followers.isEmpty)
                if let followers {
                    followers.leave(flights[index].followers.removeLast())
                    let minimum = board.lead(flights[index].id, identity, RequestContext())
                    #expect(minimum == flights[index].generation)
                } else {
                    flights.remove(at: index)
                }
            case (7, _):
                let request = random.int(in: 0..<3)
                board.close(origin, "/\(request)")
                for index in flights.indices where flights[index].request == request {
                    flights[index].isOpen = false
                }
            case (_, let index?):
                let flight = flights.remove(at: index)
                let followers = board.end(flight.id, identities[flight.request])
                #expect(followers?.waiterCount ?? 0 == flight.followers.count)
                followers?.land(1)
                let again = board.end(flight.id, identities[flight.request])
                #expect(again == nil)
            }
            #expect(board.flightCount == flights.count)
            #expect(board.followerCount == flights.reduce(0) { $0 + $1.followers.count })
        }
        for flight in flights { _ = board.end(flight.id, identities[flight.request]) }
        #expect(board.flightCount == 0 && board.followerCount == 0)
    }
}
