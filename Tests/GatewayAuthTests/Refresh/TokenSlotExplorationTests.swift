import GatewayCore
import Testing

@testable import GatewayAuth

/// Three callers whose token was rejected, and every order of what can happen to them, each end checked.
@Suite struct TokenSlotExplorationTests {
    private enum Event: Hashable {
        case rejection(Int)
        case cancellation(Int)
        case granted(Int)
        case failed(Int)
        case failedForGood(Int)
        case timedOut(Int)
        case signOut
        case signIn
        case cooled
    }

    private enum Caller: Hashable {
        case sending, waiting, served(UInt64), failed(String), cancelled
    }

    /// A world: the machine, its callers, and the flights that have not reported yet.
    private struct World {
        var machine: TokenSlotStateMachine
        var now: ContinuousClock.Instant
        var callers = [Caller](repeating: .sending, count: 3)
        let epoch: UInt64
        var nextEpoch: UInt64 = 100
        var flights: [TokenSlotStateMachine.Flight] = []
        /// Flights that were given up, but whose acquirer may still answer.
        var stragglers: Set<UInt64> = []
        var launched = 0
        var generations: [UInt64]
        var signedOutSince = false
        var misanswered: String?

        init() {
            now = .now
            machine = TokenSlotStateMachine(policy: TokenRefreshPolicy(), epoch: 1)
            epoch = 1
            guard case .wait(let first?) = machine.demand(nil, atLeast: 0, deadline: nil, now: now) else {
                fatalError("an empty slot begins a flight")
            }
            _ = machine.granted(first, TokenGrant(accessToken: Secret("t0")), now: now, chance: 0)
            generations = [machine.generation]
        }

        mutating func launch(_ flight: TokenSlotStateMachine.Flight?) {
            guard let flight else { return }
            launched += 1
            flights.append(flight)
        }

        mutating func remove(_ index: Int) -> TokenSlotStateMachine.Flight {
            let flight = flights.remove(at: index)
            stragglers.remove(flight.id)
            return flight
        }

        mutating func land(_ landing: TokenSlotStateMachine.Landing) {
            switch landing {
            case .publish(let token, let waiters):
                generations.append(token.generation)
                for waiter in waiters { settle(waiter, .served(token.generation)) }
            case .fail(let failure, _, let waiters, let served, let token):
                for waiter in waiters { settle(waiter, .failed(failure.error.code.name)) }
                for waiter in served { settle(waiter, .served(token?.generation ?? 0)) }
            case .again(let flight): launch(flight)
            case .discard: break
            }
        }

        mutating func settle(_ waiter: UInt64, _ caller: Caller) {
            if callers[Int(waiter)] != .waiting { misanswered = "a caller is answered once, while it waits" }
            callers[Int(waiter)] = caller
        }

        var events: [Event] {
            var events: [Event] = []
            for (index, caller) in callers.enumerated() {
                if caller == .sending { events.append(.rejection(index)) }
                if caller == .waiting { events.append(.cancellation(index)) }
            }
            for (index, flight) in flights.enumerated() {
                events += [.granted(index), .failed(index), .failedForGood(index)]
                if !stragglers.contains(flight.id) { events.append(.timedOut(index)) }
            }
            if !signedOutSince { events.append(.signOut) }
            if case .signedOut = machine.state { events.append(.signIn) }
            if case .failed = machine.state { events.append(.cooled) }
            return events
        }

        mutating func apply(_ event: Event) {
            switch event {
            case .rejection(let caller):
                guard machine.epoch == epoch else {
                    callers[caller] = .failed("signed_out")
                    return
                }
                _ = machine.reject(1, epoch: epoch)
                switch machine.demand(UInt64(caller), atLeast: 2, deadline: nil, now: now) {
                case .serve(let token, let start):
                    callers[caller] = .served(token.generation)
                    launch(start)
                case .wait(let start):
                    callers[caller] = .waiting
                    launch(start)
                case .fail(let error): callers[caller] = .failed(error.code.name)
                }
            case .cancellation(let caller):
                machine.leave(UInt64(caller))
                callers[caller] = .cancelled
            case .granted(let index):
                let flight = remove(index)
                land(
                    machine.granted(
                        flight, TokenGrant(accessToken: Secret("t\(flight.id)")), now: now, chance: 0))
            case .failed(let index):
                land(
                    machine.failed(
                        remove(index), NetworkError(.tokenUnavailable, ""), now: now, chance: 0))
            case .failedForGood(let index):
                land(
                    machine.failed(
                        remove(index), NetworkError(.reauthenticationRequired, ""), now: now,
                        chance: 0))
            case .timedOut(let index):
                stragglers.insert(flights[index].id)
                land(
                    machine.failed(
                        flights[index], NetworkError(.tokenUnavailable, ""), now: now, chance: 0))
            case .signOut:
                signedOutSince = true
                nextEpoch += 1
                for waiter in machine.signOut(epoch: nextEpoch) { settle(waiter, .failed("signed_out")) }
            case .signIn:
                nextEpoch += 1
                for waiter in machine.signIn(nil, epoch: nextEpoch, now: now, chance: 0) {
                    settle(waiter, .failed("signed_out"))
                }
            case .cooled: now += .seconds(60)
            }
        }

        /// What is wrong with the world, if anything.
        var flaw: String? {
            if let misanswered { return misanswered }
            let current = flights.filter { $0.epoch == machine.epoch && !stragglers.contains($0.id) }
            if current.map(\.id) != machine.flight.map({ [$0.id] }) ?? [] {
                return "one flight at a time, and each ends by itself"
            }
            let waiting = callers.filter { $0 == .waiting }.count
            if machine.waiterCount != waiting { return "who waits is known to wait" }
            if waiting > 0, machine.flight == nil { return "nobody waits for nothing" }
            if !zip(generations, generations.dropFirst()).allSatisfy({ $0 < $1 }) {
                return "generations only grow"
            }
            for case .served(let generation) in callers where generation < 2 {
                return "nobody gets the rejected token again"
            }
            if case .signedOut = machine.state, machine.token != nil || machine.lastGrant != nil {
                return "signed out means empty"
            }
            return nil
        }
    }

    @Test func everyOrderEndsWell() {
        var seen: Set<String> = []
        var ends = 0
        var flaw: String?
        var explored = 0

        /// What decides the future of a world.
        func fingerprint(_ world: World) -> String {
            let flights = world.flights.map {
                "\($0.id == world.machine.flight?.id)\($0.epoch == world.machine.epoch)"
                    + "\($0.generation == world.machine.generation)\(world.stragglers.contains($0.id))"
                    + "\($0.knowsOfRejection)"
            }
            let state =
                switch world.machine.state {
                case .empty: "empty"
                case .holding: "holding"
                case .refreshing: "refreshing"
                case .failed(let failure, _): "failed \(world.now < failure.until)"
                case .dead: "dead"
                case .signedOut: "out"
                }
            let token = world.machine.peek(atLeast: 0, now: world.now) != nil
            return "\(world.callers) \(flights) \(state) \(token) \(world.machine.generation) "
                + "\(world.machine.epoch == world.epoch) \(world.signedOutSince)"
        }

        func explore(_ world: World, depth: Int) {
            guard flaw == nil else { return }
            explored += 1
            flaw = world.flaw
            let events = world.events
            let isOver =
                world.callers.allSatisfy { $0 != .sending && $0 != .waiting } && world.flights.isEmpty
            if isOver { ends += 1 }
            guard depth > 0 else { return }
            for event in events {
                var next = world
                next.apply(event)
                if seen.insert("\(depth) " + fingerprint(next)).inserted { explore(next, depth: depth - 1) }
            }
        }

        explore(World(), depth: 16)
        #expect(flaw == nil)
        #expect(ends > 100)
        #expect(explored > 10_000)
    }

    /// Without failures and logouts: whatever the order of rejections, cancellations and the answer, one flight.
    @Test func oneRejectedGenerationIsOneFlight() {
        func explore(_ world: World) {
            #expect(world.launched <= 1)
            for event in world.events {
                switch event {
                case .rejection, .cancellation, .granted:
                    var next = world
                    next.apply(event)
                    explore(next)
                default: break
                }
            }
        }
        explore(World())
    }
}
