import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// The newest time of a store is a belief: a step of the clock that is taken back holds nothing back.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueClockTests {
    private static let day = Duration.seconds(86_400)
    private let directory = QueueDirectory()

    // MARK: What is known of the clock

    /// queue.clock-belief
    @Test func theMonotonicClockBoundsTheNewestTime() {
        let clock = ManualClock()
        let start = QueueTime(clock)
        let watch = QueueClockWatch(clock)
        func limit(_ newest: QueueTime) -> QueueTime? {
            watch.limit(of: newest, wall: QueueTime(clock), at: clock.now)
        }
        clock.advance(by: .seconds(100))
        #expect(limit(start.adding(.seconds(100))) == nil)
        #expect(limit(start.adding(.seconds(105))) == nil)
        // The wall clock has stepped: while it stays there it is believed.
        clock.setUnixTime(clock.unixTime + Self.day)
        let ahead = QueueTime(clock)
        #expect(limit(ahead) == nil)
        clock.setUnixTime(clock.unixTime - Self.day)
        #expect(limit(ahead) == start.adding(.seconds(100)))
        // A clock that is set back is behind: the newest time is what it would show.
        clock.setUnixTime(clock.unixTime - Self.day)
        #expect(limit(start.adding(.seconds(100))) == nil)
        #expect(limit(ahead) == start.adding(.seconds(100)))
    }

    /// queue.clock-belief
    @Test func aServerLowersWhatAnEarlierProcessHasSeenAndRaisesNothing() {
        let clock = ManualClock()
        let now = QueueTime(clock)
        var watch = QueueClockWatch(clock)
        let newest = now.adding(Self.day)
        func limit() -> QueueTime? { watch.limit(of: newest, wall: QueueTime(clock), at: clock.now) }
        watch.noteKnown(newest)
        #expect(limit() == nil)
        watch.noteDate(now.adding(Self.day * 2), at: clock.now)
        #expect(limit() == nil)
        watch.noteDate(now.adding(Self.day - .seconds(60)), at: clock.now)
        #expect(limit() == nil)
        watch.noteDate(now.adding(.seconds(3)), at: clock.now)
        #expect(limit() == now.adding(.seconds(3)))
        // Not below the clock itself.
        watch.noteDate(now.adding(.zero - Self.day), at: clock.now)
        #expect(limit() == now)
    }

    // MARK: Stores

    /// queue.clock-belief
    @Test func bothStoresMoveTimesBack() throws {
        let stores: [any QueueStore] = [MemoryQueueStore(), SQLiteQueueStore(path: directory.file)]
        var found: [[QueueEntry]] = []
        var outlooks: [QueueOutlook] = []
        let ahead = QueueTime.at(14 * 86_400)
        for store in stores {
            // Before the step: one that may have been sent, one that is done, and one that waits.
            var ids = try store.add(
                .sample("1") { $0.repeatWindow = .seconds(30 * 86_400) }, .sample("2"), .sample("3"))
            let before = try store.lease(2, at: .at(1))
            let ends = [QueueCompletion(before[0], .released), QueueCompletion(before[1], .done)]
            #expect(try store.finish(ends, now: .at(2)) == [true, true])
            // While the clock is ahead: one is postponed, six are being sent, and one waits.
            for number in 0..<8 {
                ids += try store.add(
                    .sample("ahead \(number)", at: ahead) { $0.timeToLive = .seconds(600) }, at: ahead)
            }
            var request = QueueLeaseRequest(count: 7, owner: QueueOwner(1), now: ahead)
            request.isNewestFirst = true
            let leases = try store.lease(request).leases.sorted { $0.id < $1.id }
            #expect(leases.map(\.id) == Array(ids[4...10]))
            let postponed = QueueCompletion(leases[0], .postponed(until: ahead.adding(.seconds(60))))
            #expect(try store.finish([postponed], now: ahead) == [true])
            try store.lowerNewest(to: .at(100))
            try store.lowerNewest(to: .at(200))
            #expect(try store.outlook().newest == .at(100))
            let entries = try store.entries(QueueSelection())
            #expect(entries[0].firstSent == .at(1) && entries[0].expires == .at(86_400))
            #expect(entries[3...].allSatisfy { $0.expires == .at(700) })
            #expect(entries[4...].allSatisfy { $0.firstSent == .at(100) })
            #expect(entries[4].notBefore == .at(160))
            // Nothing is known by halves: what was leased ends, and the others are sent.
            let ended = try store.finish(leases[1...].map { QueueCompletion($0, .done) }, now: .at(101))
            #expect(ended == [Bool](repeating: true, count: 6))
            let others = try store.lease(20, at: .at(160), owner: 2)
            #expect(Set(others.map(\.id)) == [ids[0], ids[2], ids[3], ids[4]])
            outlooks.append(try store.outlook())
            let first = ids[0].rawValue
            #expect(entries.map { $0.id.rawValue - first } == Array(0..<11))
            found.append(entries)
        }
        for (one, other) in zip(found[0], found[1]) {
            #expect(one.state == other.state && one.expires == other.expires)
            #expect(one.firstSent == other.firstSent && one.notBefore == other.notBefore)
        }
        #expect(outlooks[0] == outlooks[1])
    }

    // MARK: The engine

    /// queue.clock-belief: also after a response that postpones an entry.
    @Test func anEntryThatWasSentWhileTheClockWasAheadIsSentAgain() async throws {
        let fixture = try await EngineFixture { _, index in index == 0 ? .status(503) : .status(200) }
        let (queue, start) = (fixture.queue, fixture.clock.unixTime)
        await queue.start()
        fixture.clock.setUnixTime(start + Self.day * 14)
        let ticket = try await queue.enqueue(sample("1"))
        #expect(await isEventually { (try? await queue.counts()) == [.postponed: 1] })
        fixture.clock.setUnixTime(start + .seconds(1))
        let later = try await queue.enqueue(sample("2"))
        #expect(await fixture.advance { (try? await queue.counts()) == [.done: 2] })
        #expect(try await ticket.outcome().isDone)
        #expect(try await later.outcome().isDone)
        let entry = try #require(try await queue.entries().first)
        // Its repeat window is that of a clock that was right.
        #expect(try #require(entry.firstSent) <= QueueTime(fixture.clock))
        await queue.stop(within: .zero)
    }

    /// An entry that was answered with a 503 while the clock was 9 s behind, and waits for it.
    private func entryThatWaitsForTheClock() async throws -> (EngineFixture, QueueTicket) {
        let fixture = try await EngineFixture {
            $0.backoff = QueueBackoff(base: .milliseconds(100), longest: .milliseconds(100))
        } script: { _, index in
            index == 1 ? .status(503) : .status(200)
        }
        let queue = fixture.queue
        await queue.start()
        #expect(try await queue.enqueue(sample("1")).outcome().isDone)
        fixture.clock.setUnixTime(fixture.clock.unixTime - .seconds(9))
        let ticket = try await queue.enqueue(sample("2"))
        let waits = try await fixture.advance {
            if case .clock = try await queue.waitReason(of: ticket.id) { return true }
            return false
        }
        try #require(waits)
        #expect(fixture.transport.requests.count == 2)
        return (fixture, ticket)
    }

    /// queue.clock-belief: no other activity is needed.
    @Test func anEntryThatWaitsForTheClockIsSentWhenTheClockIsRightAgain() async throws {
        let (fixture, ticket) = try await entryThatWaitsForTheClock()
        #expect(await fixture.advance { fixture.transport.requests.count == 3 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.clock-belief
    @Test func anEntryThatWaitsForTheClockIsSentIfSomebodySaysSo() async throws {
        let (fixture, ticket) = try await entryThatWaitsForTheClock()
        #expect(try await fixture.queue.retry(ticket.id))
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.clock-belief
    @Test func bothStoresRetryWhatWaitsForTheClock() throws {
        let stores: [any QueueStore] = [MemoryQueueStore(), SQLiteQueueStore(path: directory.file)]
        for store in stores {
            let id = try store.add(.sample("1"))[0]
            let lease = try #require(try store.lease(at: .at(10)).first)
            #expect(try store.finish([QueueCompletion(lease, .released)], now: .at(10)) == [true])
            let request = QueueLeaseRequest(count: 1, owner: QueueOwner(1), now: .at(8))
            let result = try store.lease(request)
            #expect(result.leases.isEmpty && result.newest == .at(10))
            #expect(try !store.retry(id, now: .at(10)))
            #expect(try store.retry(id, now: .at(8)))
            #expect(try store.lease(request).leases.map(\.id) == [id])
        }
    }

    /// A file whose newest time is two weeks ahead, with an entry that may have been sent.
    private func fileOfAClockThatWasAhead() throws -> QueueEntry.ID {
        let now = QueueTime(ManualClock())
        let store = SQLiteQueueStore(path: directory.file)
        let id = try store.add(QueueItem(sample("old"), now: now), at: now)[0]
        let lease = try #require(try store.lease(at: now).first)
        #expect(try store.finish([QueueCompletion(lease, .released)], now: now) == [true])
        let ahead = now.adding(Self.day * 14)
        _ = try store.cancel(QueueSelection(QueueEntry.ID(.max)), now: ahead)
        #expect(try store.outlook().newest == ahead)
        return id
    }

    /// queue.clock-belief
    @Test(arguments: ["https", "http"]) func theDateOfASecureServerIsBelieved(scheme: String) async throws {
        let id = try fileOfAClockThatWasAhead()
        let fixture = try await EngineFixture(store: SQLiteQueueStore(path: directory.file)) { _, _ in
            .status(200, fields: [.date: "Thu, 01 Jan 2026 00:00:00 GMT"])
        }
        let queue = fixture.queue
        await queue.start()
        let checked = fixture.clock.now + .seconds(5)
        #expect(await fixture.advance { fixture.clock.now >= checked })
        #expect(fixture.transport.requests.isEmpty)
        guard case .clock(let lag) = try await queue.waitReason(of: id) else {
            Issue.record("it is not said why it waits")
            return
        }
        #expect(lag > Self.day * 13)
        let request = try HTTPRequest(.post, "\(scheme)://api.example.com/new", body: .text("new"))
        let new = try await queue.enqueue(QueueRequest(request))
        #expect(try await new.outcome().isDone)
        if scheme == "https" {
            #expect(await fixture.advance { (try? await queue.counts()) == [.done: 2] })
        } else {
            let later = fixture.clock.now + .seconds(10)
            #expect(await fixture.advance { fixture.clock.now >= later })
            #expect(try await queue.counts() == [.waiting: 1, .done: 1])
        }
        await queue.stop(within: .zero)
    }

    /// queue.clock-belief
    @Test func anOperatorLowersTheNewestTimeOfAQueueInUse() async throws {
        let id = try fileOfAClockThatWasAhead()
        let fixture = try await EngineFixture(store: SQLiteQueueStore(path: directory.file)) { _, _ in
            .status(200)
        }
        await fixture.queue.start()
        let ticket = fixture.queue.ticket(for: id)
        try SQLiteQueueStore(path: directory.file).lowerNewest(to: QueueTime(fixture.clock))
        #expect(await fixture.advance { fixture.transport.requests.count == 1 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }
}
