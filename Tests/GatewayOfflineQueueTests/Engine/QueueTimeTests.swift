import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Times to live, repeat windows, and clocks that jump.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueTimeTests {
    private static let day = Duration.seconds(86_400)

    /// queue.clock
    @Test func aClockThatGoesTwoWeeksForthAndBackCostsNothing() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        let start = fixture.clock.unixTime
        let old = try await fixture.queue.enqueue(sample("old"))
        fixture.clock.setUnixTime(start + Self.day * 14)
        // The store sees the time.
        let ahead = try await fixture.queue.enqueue(sample("ahead") { $0.timeToLive = .seconds(60) })
        fixture.clock.setUnixTime(start + .seconds(10))
        await fixture.queue.start()
        let new = try await fixture.queue.enqueue(sample("new") { $0.timeToLive = .seconds(60) })
        // Several checks.
        let checked = fixture.clock.now + .seconds(30)
        #expect(await fixture.advance { fixture.clock.now >= checked })
        #expect(try await fixture.queue.counts() == [.waiting: 3])
        fixture.network.report(.online)
        #expect(
            await isEventually { (try? await fixture.queue.waitReason(of: new.id)) == .held(.reconnecting) })
        fixture.clock.advance(by: OfflineQueueEngine.Configuration().reconnectJitter)
        #expect(await fixture.advance { (try? await fixture.queue.counts()) == [.done: 3] })
        for ticket in [old, ahead, new] { #expect(try await ticket.outcome().isDone) }
        #expect(fixture.transport.requests.count == 3)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.clock: the clock of a board without a battery.
    @Test func anEntryOfAClockThatIsBehindIsSent() async throws {
        let fixture = try await EngineFixture()
        await fixture.queue.start()
        let first = try await fixture.queue.enqueue(sample("1"))
        #expect(try await first.outcome().isDone)
        fixture.clock.setUnixTime(.seconds(3_600))
        let second = try await fixture.queue.enqueue(sample("2"))
        #expect(await fixture.advance { fixture.transport.requests.count == 2 })
        #expect(try await second.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.expired-never-sent: its time ends while it waits for room, and this engine has it.
    @Test func whatExpiresBehindAnotherAttemptIsNotSent() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture(
            {
                $0.concurrency = 1
                $0.attemptDeadline = .seconds(3_600)
            }
        ) { _, _ in
            await gate.pass()
            return .status(200)
        }
        await fixture.queue.start()
        let first = try await fixture.queue.enqueue(sample("1"))
        await gate.waitForArrivals(1)
        let second = try await fixture.queue.enqueue(sample("2") { $0.timeToLive = .seconds(60) })
        try #require(await isEventually { (try? await fixture.queue.counts()[.leased]) == 2 })
        fixture.clock.advance(by: .seconds(61))
        gate.open()
        #expect(try await first.outcome().isDone)
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.expired]) == 1 })
        #expect(try await second.outcome().state == .expired)
        #expect(fixture.transport.requests.count == 1)
        await fixture.queue.stop(within: .zero)
    }

    /// Its time to live begins anew.
    @Test func anEntryIsRetriedAfterItsTimeToLive() async throws {
        let fixture = try await EngineFixture { _, index in index == 0 ? .status(422) : .status(200) }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample { $0.timeToLive = .seconds(60) })
        #expect(try await ticket.outcome().state == .poison)
        fixture.clock.advance(by: .seconds(61))
        #expect(try await fixture.queue.retry(ticket.id))
        #expect(await fixture.advance { fixture.transport.requests.count == 2 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ambiguous-never-resent
    @Test func afterItsRepeatWindowAnEntryWaitsForADecision() async throws {
        let fixture = try await EngineFixture { _, index in index == 0 ? .status(503) : .status(200) }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample { $0.repeatWindow = .seconds(60) })
        #expect(await isEventually { (try? await fixture.queue.counts()[.postponed]) == 1 })
        fixture.network.report(.offline)
        fixture.clock.advance(by: .seconds(61))
        fixture.network.report(.online)
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.ambiguous]) == 1 })
        #expect(try await fixture.queue.waitReason(of: ticket.id) == .ambiguous)
        #expect(fixture.transport.requests.count == 1)
        #expect(try await fixture.queue.retry(ticket.id))
        #expect(await fixture.advance { fixture.transport.requests.count == 2 })
        await fixture.queue.stop(within: .zero)
    }

    /// queue.cancel-once
    @Test func whatIsBeingSentIsNotCancelled() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { _, _ in
            await gate.pass()
            return .status(200)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        await gate.waitForArrivals(1)
        #expect(try await fixture.queue.cancel(ticket.id) == false)
        gate.open()
        #expect(try await ticket.outcome().isDone)
        #expect(try await fixture.queue.cancel(ticket.id) == false)
        await fixture.queue.stop(within: .zero)
    }
}
