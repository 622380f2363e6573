import Testing

@testable import GatewayResilience

/// All orders of events of a race, compared with what a call may expect.
@Suite struct HedgeRaceStateMachineTests {
    private typealias Machine = HedgeRaceStateMachine

    private enum Event: Hashable {
        case due
        case ended(Machine.Side, Machine.End)
    }

    private struct World {
        var machine = Machine()
        var hedges = 0
        var ends: [Machine.Side: Machine.End] = [:]
        var decisions: [Machine.Side] = []
        var log: [String] = []

        /// What may happen next.
        var events: [Event] {
            var events: [Event] = [.due]
            if ends[.first] == nil { events += [.success, .failure, .error].map { .ended(.first, $0) } }
            if hedges > 0, ends[.hedge] == nil {
                events += [.success, .failure, .error, .dropped].map { .ended(.hedge, $0) }
            }
            return events
        }

        mutating func apply(_ event: Event) {
            log.append("\(event)")
            switch event {
            case .due:
                let may = hedges == 0 && ends[.first] == nil
                #expect(machine.canBeHedged == may, "\(log)")
                let sends = machine.due()
                #expect(sends == may, "\(log)")
                hedges += sends ? 1 : 0
            case .ended(let side, let end):
                ends[side] = end
                #expect(machine.ended(side, end) == expected(side, end), "\(log)")
            }
            #expect(machine.isDecided == !decisions.isEmpty, "\(log)")
        }

        /// Says in words what the machine says by its states.
        private mutating func expected(_ side: Machine.Side, _ end: Machine.End) -> Machine.Action {
            guard decisions.isEmpty else { return .discard }
            let other: Machine.Side = side == .first ? .hedge : .first
            let isOtherInProgress = ends[other] == nil && (other == .first || hedges > 0)
            if end == .success {
                decisions.append(side)
            } else if isOtherInProgress {
                return end == .dropped && side == .hedge ? .discard : .wait
            } else {
                // Both have ended, or there is no other: a response before an error, the first before the hedge.
                let outcomes = [Machine.Side.first, .hedge].filter {
                    ends[$0] == .failure || ends[$0] == .error
                }
                #expect(machine.haveBothFailed == (outcomes.count == 2), "\(log)")
                decisions.append(outcomes.first { ends[$0] == .failure } ?? outcomes.first ?? .first)
            }
            return .decide(decisions[0])
        }
    }

    @Test func everyOrderHasOneDecision() {
        var worlds = [World()]
        var complete = 0
        for _ in 0..<8 {
            var next: [World] = []
            for world in worlds {
                for event in world.events {
                    var copy = world
                    copy.apply(event)
                    // A success, or the end of all attempts, decides; and only once.
                    let isOver = copy.ends[.first] != nil && (copy.hedges == 0 || copy.ends[.hedge] != nil)
                    if isOver {
                        complete += 1
                        #expect(copy.decisions.count == 1, "\(copy.log)")
                    }
                    if copy.ends.values.contains(.success) { #expect(copy.decisions.count == 1) }
                    #expect(copy.hedges <= 1)
                    next.append(copy)
                }
            }
            worlds = next
        }
        #expect(complete > 1_000)
    }
}
