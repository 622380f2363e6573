import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct SharedFlightTests {
    private let clock = ManualClock()

    private func wait(_ flight: SharedFlight<Int>, _ waiter: UInt64) -> Task<String, Never> {
        Task {
            switch await flight.outcome(of: waiter) {
            case .value(let value): "\(value)"
            case .cancelled: "cancelled"
            case .expired: "expired"
            }
        }
    }

    @Test func allGetTheFirstLanding() async {
        let flight = SharedFlight<Int>(clock: clock)
        let waiters = (0..<10).map { _ in wait(flight, flight.join()) }
        #expect(flight.waiterCount == 10)
        #expect(flight.land(1))
        #expect(!flight.land(2))
        for waiter in waiters { #expect(await waiter.value == "1") }
        #expect(await wait(flight, flight.join()).value == "1")
        #expect(flight.waiterCount == 0)
    }

    @Test func aWaiterThatLeavesDisturbsNobody() async {
        let flight = SharedFlight<Int>(clock: clock)
        let start = clock.now
        let cancelled = wait(flight, flight.join())
        let hasty = [3, 1].map { wait(flight, flight.join(until: Deadline(start + .seconds($0)))) }
        let patient = wait(flight, flight.join(until: Deadline(start + .seconds(60))))
        flight.leave(flight.join())
        cancelled.cancel()
        #expect(await cancelled.value == "cancelled")
        for (index, seconds) in [(1, 1), (0, 2)] {
            #expect(await isEventually { clock.sleeperCount == 1 })
            clock.advance(by: .seconds(seconds))
            #expect(await hasty[index].value == "expired")
        }
        #expect(flight.waiterCount == 1)
        flight.land(1)
        #expect(await patient.value == "1")
        // No alarm is left behind.
        #expect(await isEventually { clock.sleeperCount == 0 })
    }

    @Test func waitersThatStayLongerThanTheRequestNeedNoAlarm() async {
        let end = clock.now + .seconds(5)
        let flight = SharedFlight<Int>(clock: clock, limit: Deadline(end))
        let long = wait(flight, flight.join(until: Deadline(end)))
        let short = wait(flight, flight.join(until: Deadline(end - .seconds(1))))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(4))
        #expect(await short.value == "expired")
        #expect(clock.sleeperCount == 0)
        // The one that is appointed moves the limit.
        let next = flight.join(until: Deadline(end + .seconds(5)))
        #expect(flight.appoint(2))
        #expect(await wait(flight, next).value == "2")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await long.value == "expired")
        #expect(!flight.appoint(3))
    }

    @Test func theHighestPriorityCounts() {
        let flight = SharedFlight<Int>(clock: clock)
        #expect(flight.priority == .low)
        let first = flight.join(priority: .high)
        _ = flight.join(until: Deadline(clock.now + .seconds(1)), priority: .low)
        #expect(flight.priority == .high)
        flight.leave(first)
        #expect(flight.priority == .high)
        _ = flight.join(priority: .normal)
        #expect(flight.appoint(1))
        #expect(flight.priority == .normal)
    }

    /// An owner that ends its request when nobody waits for it any more.
    private final class Owner: Sendable {
        struct State {
            var flight: SharedFlight<Int>?
            var work: Task<Void, Never>?
        }
        let state = Locked(State())
        let clock: ManualClock
        let started = Locked(0)
        let ended = Locked(0)

        init(clock: ManualClock) { self.clock = clock }

        func value(_ gate: Gate) async -> FlightOutcome<Int> {
            let (flight, waiter, isNew) = state.withLock { state in
                let isNew = state.flight == nil
                let flight =
                    state.flight ?? SharedFlight(clock: clock, onLastLeave: { [weak self] in self?.end() })
                state.flight = flight
                return (flight, flight.join(), isNew)
            }
            if isNew {
                started.withLock { $0 += 1 }
                let work = flight.launch(until: .after(.seconds(60), clock: clock)) { [self] in
                    await gate.pass()
                    if Task.isCancelled {
                        ended.withLock { $0 += 1 }
                    } else {
                        flight.land(1)
                    }
                } orLate: {
                    flight.land(-1)
                }
                state.withLock { $0.work = work }
            }
            return await flight.outcome(of: waiter)
        }

        private func end() {
            let work = state.withLock { state -> Task<Void, Never>? in
                guard state.flight?.waiterCount == 0 else { return nil }
                defer { state = State() }
                return state.work
            }
            work?.cancel()
        }
    }

    @Test func anOwnerMayEndTheRequestWithItsLastWaiter() async {
        let (owner, gate) = (Owner(clock: clock), Gate())
        let waiters = (0..<3).map { _ in Task { await owner.value(gate) } }
        await gate.waitForArrivals(1)
        #expect(await isEventually { owner.state.withLock { $0.flight?.waiterCount } == 3 })
        for waiter in waiters.dropLast() {
            waiter.cancel()
            guard case .cancelled = await waiter.value else { return #expect(Bool(false)) }
        }
        #expect(owner.state.withLock { $0.flight != nil })
        waiters[2].cancel()
        _ = await waiters[2].value
        #expect(await isEventually { owner.state.withLock { $0.flight == nil } })
        // The next waiter begins another request.
        let next = Task { await owner.value(gate) }
        await gate.waitForArrivals(2)
        gate.open()
        guard case .value(1) = await next.value else { return #expect(Bool(false)) }
        #expect(await isEventually { owner.ended.withLock { $0 } == 1 })
        #expect(owner.started.withLock { $0 } == 2)
    }

    @Test func workThatIgnoresItsCancellationIsGivenUp() async {
        let (flight, gate) = (SharedFlight<Int>(clock: clock), Gate())
        let waiter = wait(flight, flight.join())
        flight.launch(until: .after(.seconds(30), clock: clock)) {
            await gate.pass()
            flight.land(1)
        } orLate: {
            flight.land(2)
        }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await waiter.value == "2")
        gate.open()
        #expect(await isEventually { clock.sleeperCount == 0 })
    }

    @TaskLocal private static var mark = "none"

    @Test func nothingOfTheCallerGetsIntoTheWork() async {
        let flight = SharedFlight<Int>(clock: clock)
        let seen = Locked("")
        let waiter = flight.join()
        Self.$mark.withValue("caller") {
            _ = flight.launch(until: .after(.seconds(1), clock: clock)) {
                let mark = Self.mark
                seen.withLock { $0 = mark }
                flight.land(1)
            } orLate: {
            }
        }
        #expect(await wait(flight, waiter).value == "1")
        #expect(seen.withLock { $0 } == "none")
    }

    /// Waiters that come, are cancelled and are told on many threads at once: each has one outcome, and a flight that has
    /// landed keeps nobody.
    @Test func everyWaiterHasOneOutcomeOnManyThreads() async {
        let random = SeededRandomSource(seed: TestSeed.value(3))
        for round in 0..<200 {
            let flight = SharedFlight<Int>(clock: SystemClock())
            let end = Deadline.after(.microseconds(random.int(in: 1..<500)))
            let plans = (0..<20).map { _ in random.int(in: 0..<5) }
            let outcomes = await withTaskGroup(of: Int?.self) { group in
                for plan in plans {
                    group.addTask {
                        let waiter = flight.join(until: plan == 1 ? end : nil, priority: .high)
                        let task = Task { () -> Int? in
                            guard case .value(let value) = await flight.outcome(of: waiter) else {
                                return nil
                            }
                            return value
                        }
                        if plan == 0 { task.cancel() }
                        if plan == 2 { flight.tell(-1, to: [waiter]) }
                        if plan == 3 { _ = flight.appoint(-2) }
                        return await task.value
                    }
                }
                group.addTask {
                    await Task.yield()
                    flight.land(round)
                    return nil
                }
                return await group.reduce(into: [Int?]()) { $0.append($1) }
            }
            #expect(outcomes.count == plans.count + 1)
            #expect(outcomes.compactMap(\.self).allSatisfy { $0 == round || $0 == -1 || $0 == -2 })
            #expect(outcomes.count { $0 == -2 } <= plans.count { $0 == 3 })
            #expect(outcomes.count { $0 == -1 } <= plans.count { $0 == 2 })
            #expect(flight.waiterCount == 0)
        }
    }
}
