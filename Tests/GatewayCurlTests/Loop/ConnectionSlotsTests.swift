import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// The slots of a loop, for callers on many threads: each that waits is told one outcome, and no slot is lost.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct ConnectionSlotsTests {
    private typealias Entrance = Task<Result<ConnectionPermit, NetworkError>, Never>

    private let clock = ManualClock()
    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.get, "http://127.0.0.1/x") }

    /// Slots of a loop that was not started: tests look after the time.
    private func slots(
        _ change: (inout CurlConfiguration) -> Void = { _ in }
    ) -> (slots: ConnectionSlots, inbox: Inbox) {
        var configuration = CurlConfiguration()
        configuration.clock = clock
        configuration.connectionsPerOrigin = 1
        change(&configuration)
        let inbox = Inbox(settings: LoopSettings(configuration))
        return (inbox.slots, inbox)
    }

    /// Waits for a slot in a task of its own, until it is in the queue.
    private func entrance(
        _ inbox: Inbox, _ options: CallOptions = CallOptions(), _ reason: AttemptInfo.Reason = .first
    ) async -> Entrance {
        var context = RequestContext(options: options, clock: clock)
        context.attempt = AttemptInfo(number: 1, reason: reason)
        let count = count(inbox)
        let task = Entrance { [request, context] in
            do throws(NetworkError) {
                return .success(
                    try await inbox.slots.enter(request, context: context, inbox: inbox))
            } catch {
                return .failure(error)
            }
        }
        await eventually { self.count(inbox) == count + 1 }
        return task
    }

    private func count(_ inbox: Inbox) -> Int { inbox.slots.waiting.values.reduce(0, +) }

    private func error(of entrance: Entrance) async -> NetworkError? {
        guard case .failure(let error) = await entrance.value else { return nil }
        return error
    }

    @Test func replaysEnterBeforeFirstAttempts() async throws {
        let (slots, inbox) = slots()
        let held = try #require(try slots.enterNow(request.origin))
        let first = await entrance(inbox)
        let replay = await entrance(inbox, CallOptions(), .replay)
        clock.advance(by: .seconds(1))
        held.leave()
        let permit = try await replay.value.get()
        #expect(permit.connectionWait == .seconds(1) && count(inbox) == 1)
        #expect(try slots.enterNow(request.origin) == nil)
        permit.leave()
        try await first.value.get().leave()
        #expect(slots.activeCount == 0 && count(inbox) == 0 && !slots.isCrowded)
    }

    /// The earliest of the limits ends the wait, and is named.
    @Test func waitingHasLimits() async throws {
        let (slots, inbox) = slots {
            $0.timeouts.queue = .seconds(3)
            $0.timeouts.whole = .seconds(20)
        }
        let held = try #require(try slots.enterNow(request.origin))
        let entrances = [
            await entrance(inbox), await entrance(inbox, CallOptions(deadline: .seconds(1))),
            await entrance(
                inbox, CallOptions(limits: AttemptLimits(queue: .seconds(60), whole: .seconds(2)))),
        ]
        let limits: [NetworkError.Phase] = [.queue, .call, .attempt]
        for (seconds, index) in [(1, 1), (2, 2), (3, 0)] {
            clock.advance(by: .milliseconds(999))
            slots.expire(at: Int64(seconds) * 1_000_000_000 - 1_000_000)
            #expect(count(inbox) == 4 - seconds)
            clock.advance(by: .milliseconds(1))
            slots.expire(at: Int64(seconds) * 1_000_000_000)
            let error = await error(of: entrances[index])
            #expect(error?.code == (index == 1 ? .timeout : .overloaded) && error?.phase == .queue)
            #expect(error?.limit == limits[index] && error?.isLocalRejection == (index != 1))
            #expect(error?.attempts == 0 && error?.mayHaveBeenSent == false)
        }
        #expect(count(inbox) == 0 && slots.activeCount == 1 && slots.setAlarm() == LoopClock.never)
        held.leave()
    }

    /// A slot that becomes free after the time is up goes to the next, although the loop has not looked.
    @Test func whatIsLateGetsNoSlot() async throws {
        let (slots, inbox) = slots { $0.timeouts.queue = .seconds(3) }
        let held = try #require(try slots.enterNow(request.origin))
        let late = await entrance(inbox)
        clock.advance(by: .seconds(2))
        let next = await entrance(inbox)
        clock.advance(by: .seconds(1))
        held.leave()
        #expect(await error(of: late)?.limit == .queue)
        try await next.value.get().leave()
        #expect(slots.activeCount == 0)
    }

    /// The loop need not wake for an empty queue, and wakes for what comes after.
    @Test func anEmptyQueueHasNoAlarm() async throws {
        let (slots, inbox) = slots()
        for _ in 0..<2 {
            #expect(slots.setAlarm() == LoopClock.never)
            let held = try #require(try slots.enterNow(request.origin))
            let waiting = await entrance(inbox)
            #expect(slots.setAlarm() < LoopClock.never)
            held.leave()
            try await waiting.value.get().leave()
        }
    }

    @Test func tooManyAreRefused() async throws {
        let (slots, inbox) = slots { $0.waitingLimit = 1 }
        let held = try #require(try slots.enterNow(request.origin))
        let waiting = await entrance(inbox)
        let refusal = await failure { [request] () throws(NetworkError) in
            try await slots.enter(request, context: RequestContext(), inbox: inbox)
        }
        #expect(refusal?.code == .overloaded && refusal?.attempts == 0)
        held.leave()
        try await waiting.value.get().leave()
        #expect(slots.activeCount == 0)
    }

    @Test func closingEndsTheWait() async throws {
        let (slots, inbox) = slots()
        let held = try #require(try slots.enterNow(request.origin))
        let waiting = [await entrance(inbox), await entrance(inbox)]
        slots.close()
        for entrance in waiting { #expect(await error(of: entrance)?.code == .closed) }
        held.leave()
        #expect(throws: NetworkError.self) { try slots.enterNow(request.origin) }
        #expect(slots.activeCount == 0 && count(inbox) == 0)
    }

    @Test func aCancelledCallerLeavesTheQueue() async throws {
        let (slots, inbox) = slots()
        let held = try #require(try slots.enterNow(request.origin))
        let (first, second) = (await entrance(inbox), await entrance(inbox))
        first.cancel()
        #expect(await error(of: first)?.code == .cancelled)
        held.leave()
        try await second.value.get().leave()
        #expect(slots.activeCount == 0)
    }

    /// Callers that come, wait, are cancelled and leave at the same time: no slot is lost and none is given twice.
    @Test(arguments: 0..<SoakScale.rounds(10)) func noSlotIsLost(seed: Int) async throws {
        let permits = 3
        let (slots, inbox) = slots { $0.connectionsPerOrigin = permits }
        let active = Active()
        let tasks = (0..<200).map { number in
            Task { [request, clock] in
                let context = RequestContext(clock: clock)
                guard let permit = try? await slots.enter(request, context: context, inbox: inbox) else {
                    return
                }
                active.begin()
                for _ in 0..<(number % 5) { await Task.yield() }
                active.end()
                permit.leave()
            }
        }
        for (number, task) in tasks.enumerated() where (number &* 7 &+ seed) % 3 == 0 {
            await Task.yield()
            task.cancel()
        }
        for task in tasks { await task.value }
        #expect(active.most <= permits)
        #expect(slots.activeCount == 0 && count(inbox) == 0 && !slots.isCrowded)
    }
}

/// Counts those that have a slot at the same time.
private final class Active: Sendable {
    private let counts = Locked((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func begin() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func end() { counts.withLock { $0.now -= 1 } }
}

extension ConnectionSlots {
    /// Waits for a slot from now on.
    fileprivate func enter(
        _ request: HTTPRequest, context: RequestContext, inbox: Inbox
    ) async throws(NetworkError) -> ConnectionPermit {
        let timing = TransferTiming(context, settings.limits, at: settings.clock.now)
        return try await enter(SlotWaiter(timing, context), request, context: context, inbox: inbox)
    }
}
