import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Three callers whose token was rejected, and every order of what can happen to them, each step checked.
@Suite(.timeLimit(.minutes(10))) struct TokenSlotExplorationTests {
    /// Goes through all orders, without a limit of length: what can happen runs out by itself.
    private struct Explorer {
        /// How many orders there are from a state on.
        var orders: [SlotWorld.Fingerprint: Double] = [:]
        var steps = 0
        /// A bit for each sight.
        var seen: UInt64 = 0
        var flaw: String?
        var path: [SlotWorld.Event] = []

        mutating func explore(_ world: SlotWorld) -> Double {
            let fingerprint = world.fingerprint
            if let known = orders[fingerprint] { return known }
            var sum = 0.0
            let events = world.events
            for event in events {
                var next = world
                path.append(event)
                next.apply(event)
                steps += 1
                seen |= next.seen
                if let broken = next.flaw {
                    flaw = "\(broken): \(path)"
                    return sum
                }
                sum += world.weight(of: event) * explore(next)
                if flaw != nil { return sum }
                path.removeLast()
            }
            orders[fingerprint] = events.isEmpty ? 1 : sum
            return events.isEmpty ? 1 : sum
        }
    }

    @Test func everyOrderEndsWell() {
        var explorer = Explorer()
        var orders = 0.0
        for beginning in SlotWorld.Beginning.allCases {
            for kind in SlotWorld.Kind.allCases {
                let world = SlotWorld(beginning, kind)
                #expect(world.flaw == nil)
                orders += explorer.explore(world)
            }
        }
        #expect(explorer.flaw == nil)
        #expect(SlotWorld.Sight.allCases.filter { explorer.seen >> $0.rawValue & 1 == 0 } == [])
        #expect(explorer.orders.count > 5000 && orders > 1e9)
        print("token slot: \(explorer.orders.count) states, \(explorer.steps) steps, \(orders) orders")
    }

    /// Without failures and logouts: whatever the order of rejections, cancellations and the answer, one flight.
    @Test func oneRejectedGenerationIsOneFlight() {
        struct State: Hashable {
            let fingerprint: SlotWorld.Fingerprint
            let launched: Int
        }
        var (flights, known) = (0, Set<State>())
        func explore(_ world: SlotWorld) {
            guard known.insert(State(fingerprint: world.fingerprint, launched: world.launched)).inserted
            else {
                return
            }
            flights = max(flights, world.launched)
            for event in world.events {
                switch event {
                case .rejection, .cancellation, .asked, .granted(_, isNew: true):
                    var next = world
                    next.furtherRejections = 0
                    next.apply(event)
                    explore(next)
                default: break
                }
            }
        }
        explore(SlotWorld())
        #expect(flights == 1 && known.count > 10)
    }
}
