import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Entries are sent, again if need be, and their tickets tell the outcome.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct OfflineQueueEngineTests {
    @Test func anEntryIsSentAtOnceAndItsTicketTellsTheOutcome() async throws {
        let fixture = try await EngineFixture { _, _ in .status(201, "created") }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        let outcome = try await ticket.outcome()
        #expect(outcome.isDone && outcome.response?.status == 201 && outcome.id == ticket.id)
        #expect(try await fixture.queue.entries().map(\.state) == [.done])
        // Also for a ticket that is made later, without the response.
        let later = try await fixture.queue.ticket(for: ticket.id).outcome()
        #expect(later.isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.same-bytes
    @Test func eachAttemptSendsTheSameBytesAndKey() async throws {
        let fixture = try await EngineFixture { _, index in index < 5 ? .status(503) : .status(200) }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample("{\"amount\":1}"))
        #expect(await fixture.advance { fixture.transport.requests.count >= 6 })
        #expect(try await ticket.outcome().isDone)
        let sent = fixture.transport.requests
        #expect(sent.count == 6)
        #expect(Set(sent.map { $0.fields[.idempotencyKey] }).count == 1)
        #expect(sent[0].fields[.idempotencyKey]?.utf8.count == 32)
        #expect(Set(sent.map(\.target)).count == 1 && Set(sent.map(\.body.bytes)).count == 1)
        await fixture.queue.stop(within: .zero)
    }

    @Test func nothingIsSentWithoutANetwork() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        await fixture.queue.start()
        let tickets = [
            try await fixture.queue.enqueue(sample("1")), try await fixture.queue.enqueue(sample("2")),
        ]
        #expect(try await fixture.queue.waitReason(of: tickets[0].id) == .held(.offline))
        for _ in 0..<20 {
            fixture.clock.advanceToNextSleeper()
            for _ in 0..<100 { await Task.yield() }
        }
        #expect(fixture.transport.requests.isEmpty)
        fixture.network.report(.online)
        #expect(await fixture.advance { fixture.transport.requests.count == 2 })
        for ticket in tickets { #expect(try await ticket.outcome().isDone) }
        await fixture.queue.stop(within: .zero)
    }

    @Test func aPoorNetworkHoldsBackByOption() async throws {
        let fixture = try await EngineFixture { $0.minimumQuality = .moderate }
        fixture.network.set(NetworkCondition(quality: .poor))
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(try await fixture.queue.waitReason(of: ticket.id) == .held(.poorNetwork))
        fixture.network.set(NetworkCondition(quality: .good))
        #expect(await fixture.advance { fixture.transport.requests.count == 1 })
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ramp
    @Test func afterTheNetworkWasAwayRequestsBeginOneByOne() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture(isOnline: false, { $0.concurrency = 8 }) { _, _ in
            await gate.pass()
            return .status(200)
        }
        await fixture.queue.start()
        var last: QueueEntry.ID?
        for number in 0..<20 { last = try await fixture.queue.enqueue(sample("\(number)")).id }
        let id = try #require(last)
        fixture.network.report(.online)
        // Not at once: the clock stands still.
        #expect(await isEventually { (try? await fixture.queue.waitReason(of: id)) == .held(.reconnecting) })
        #expect(await fixture.advance { gate.arrivals == 1 })
        for _ in 0..<2_000 { await Task.yield() }
        #expect(gate.arrivals == 1)
        gate.open()
        #expect(await fixture.advance { fixture.transport.requests.count == 20 })
        // All of them waited for a random part of the jitter.
        let wait = OfflineQueueEngine.Configuration().reconnectJitter
        #expect(fixture.clock.requestedDelays.contains { $0 > .zero && $0 < wait })
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ramp: what was known of an origin before is not true of another network.
    @Test func aPauseOfAnOriginEndsWithTheNetwork() async throws {
        let fixture = try await EngineFixture { _, index in
            index > 0 ? .status(200) : .status(429, fields: [.retryAfter: "3000"])
        }
        await fixture.queue.start()
        _ = try await fixture.queue.enqueue(sample("1"))
        #expect(await isEventually { (try? await fixture.queue.counts()[.postponed]) == 1 })
        let other = try await fixture.queue.enqueue(sample("2"))
        fixture.network.report(.offline)
        #expect(
            await isEventually { (try? await fixture.queue.waitReason(of: other.id)) == .held(.offline) })
        fixture.network.report(.online)
        #expect(
            await isEventually { (try? await fixture.queue.waitReason(of: other.id)) == .held(.reconnecting) }
        )
        // Far from the end of the pause.
        fixture.clock.advance(by: OfflineQueueEngine.Configuration().reconnectJitter)
        try #require(await isEventually { fixture.transport.requests.count == 2 })
        #expect(try await other.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.order-per-key
    @Test(arguments: 0..<5) func entriesOfAKeyAreSentInTheirOrder(seed: UInt64) async throws {
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        let fixture = try await EngineFixture(seed: seed, { $0.concurrency = 8 }) { _, _ in
            random.int(in: 0..<3) == 0 ? .status(503) : .status(200)
        }
        await fixture.queue.start()
        var tickets: [QueueTicket] = []
        for number in 0..<30 {
            tickets.append(
                try await fixture.queue.enqueue(sample("\(number)") { $0.orderingKey = "k\(number % 3)" }))
        }
        #expect(
            await fixture.advance {
                (try? await fixture.queue.counts()[.done]) == 30
            })
        for key in 0..<3 {
            let bodies = fixture.transport.requests.compactMap { request in
                request.body.bytes.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            }.filter { $0 % 3 == key }
            // Repetitions follow each other: no later one comes before.
            #expect(bodies == bodies.sorted())
        }
        await fixture.queue.stop(within: .zero)
    }

    /// queue.poison-quarantined
    @Test func aPoisonEntryDoesNotHoldBackOthers() async throws {
        let fixture = try await EngineFixture { request, _ in
            request.body.bytes == Array("bad".utf8) ? .status(422) : .status(200)
        }
        await fixture.queue.start()
        let bad = try await fixture.queue.enqueue(sample("bad") { $0.orderingKey = "k" })
        let good = try await fixture.queue.enqueue(sample("good") { $0.orderingKey = "k" })
        let outcome = try await bad.outcome()
        #expect(outcome.state == .poison && outcome.reason == "422" && outcome.response?.status == 422)
        #expect(try await good.outcome().isDone)
        #expect(try await fixture.queue.waitReason(of: bad.id) == .poison)
        // It is sent again only when somebody says so.
        #expect(fixture.transport.requests.count == 2)
        #expect(try await fixture.queue.retry(bad.id))
        #expect(await fixture.advance { fixture.transport.requests.count == 3 })
        #expect(try await bad.outcome().state == .poison)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.account-parks, queue.survives-login
    @Test func aRejectedLoginParksItsAccountUntilItResumes() async throws {
        let isSignedIn = Flag(false)
        let fixture = try await EngineFixture { _, _ in isSignedIn.isSet ? .status(200) : .status(401) }
        await fixture.queue.start()
        var tickets: [QueueTicket] = []
        for number in 0..<6 { tickets.append(try await fixture.queue.enqueue(sample("\(number)"))) }
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.parked]) == 6 })
        #expect(try await fixture.queue.waitReason(of: tickets[0].id) == .signIn)
        let sent = fixture.transport.requests.count
        #expect(sent <= 4)
        isSignedIn.set()
        #expect(try await fixture.queue.resume() == 6)
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 6 })
        await fixture.queue.stop(within: .zero)
    }

    /// queue.cancel-once
    @Test func whatIsCancelledIsNotSent() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        await fixture.queue.start()
        let tickets = [
            try await fixture.queue.enqueue(sample("1")), try await fixture.queue.enqueue(sample("2")),
        ]
        #expect(try await fixture.queue.cancel(tickets[0].id))
        #expect(try await fixture.queue.cancel(tickets[0].id) == false)
        #expect(try await tickets[0].outcome().state == .cancelled)
        fixture.network.report(.online)
        #expect(await fixture.advance { fixture.transport.requests.count == 1 })
        #expect(try await tickets[1].outcome().isDone)
        #expect(fixture.transport.requests.map(\.body.bytes) == [Array("2".utf8)])
        await fixture.queue.stop(within: .zero)
    }

    /// queue.expired-never-sent
    @Test func whatHasExpiredIsNotSent() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample { $0.timeToLive = .seconds(60) })
        fixture.clock.advance(by: .seconds(61))
        fixture.network.report(.online)
        let state = Task { try await ticket.outcome().state }
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.expired]) == 1 })
        #expect(try await state.value == .expired)
        #expect(fixture.transport.requests.isEmpty)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.no-secret-in-rows
    @Test func aRequestWithACredentialIsRefused() async throws {
        let fixture = try await EngineFixture()
        var request = try sample()
        request.request.fields[.authorization] = "Bearer secret"
        let refused = request
        let error = await #expect(throws: QueueError.self) { _ = try await fixture.queue.enqueue(refused) }
        #expect(error?.property == "fields" && error?.message.contains("secret") == false)
        let other = try sample { $0.account = QueueAccount("someone") }
        let second = await #expect(throws: QueueError.self) { _ = try await fixture.queue.enqueue(other) }
        #expect(second?.property == "account")
        #expect(try await fixture.queue.entries().isEmpty)
    }

    /// queue.limit
    @Test func aFullQueueRefuses() async throws {
        let fixture = try await EngineFixture(isOnline: false, { $0.limits.count = 1 })
        _ = try await fixture.queue.enqueue(sample("1"))
        let error = await #expect(throws: QueueError.self) {
            _ = try await fixture.queue.enqueue(sample("2"))
        }
        #expect(error?.code == .full)
        #expect(fixture.queueEvents.contains(.refused))
    }

    @Test func oneEntryStandsForRequestsWithTheSameKey() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        let first = try await fixture.queue.enqueue(sample("1") { $0.deduplicationKey = "profile" })
        let second = try await fixture.queue.enqueue(sample("2") { $0.deduplicationKey = "profile" })
        #expect(second.id == first.id && second.isDuplicate && !first.isDuplicate)
        let third = try await fixture.queue.enqueue(
            sample("3") {
                $0.deduplicationKey = "profile"
                $0.supersedes = true
            })
        #expect(try await first.outcome().state == .superseded)
        #expect(try await fixture.queue.cancel(deduplicationKey: "profile") == 1)
        #expect(try await third.outcome().state == .cancelled)
    }

    @Test func aTicketOfAStoppedQueueSaysSo() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        let outcome = Task { try await ticket.outcome() }
        await fixture.queue.stop(within: .zero)
        let error = await #expect(throws: QueueError.self) { _ = try await outcome.value }
        #expect(error?.code == .stopped)
        // It is sent when the queue is started again, and the same ticket tells it.
        fixture.network.report(.online)
        await fixture.queue.start()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    @Test func aCancelledWaitLeavesTheEntry() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        let wait = Task { try await ticket.outcome() }
        wait.cancel()
        let error = await #expect(throws: QueueError.self) { _ = try await wait.value }
        #expect(error?.code == .cancelled)
        #expect(try await fixture.queue.counts() == [.waiting: 1])
        await fixture.queue.stop(within: .zero)
    }

    @Test func aTicketOfAnUnknownEntryIsAnError() async throws {
        let fixture = try await EngineFixture()
        let ticket = fixture.queue.ticket(for: QueueEntry.ID(77))
        let error = await #expect(throws: QueueError.self) { _ = try await ticket.outcome() }
        #expect(error?.code == .notFound)
    }

    /// queue.deadline-not-inherited
    @Test func anEntryDoesNotEndWithTheDeadlineOfItsCaller() async throws {
        let deadlines = Locked<[Deadline?]>([])
        let clock = ManualClock()
        var configuration = OfflineQueueEngine.Configuration()
        configuration.clock = clock
        let engine = ProbeEngine(clock: clock) { context in
            deadlines.withLock { $0.append(context.deadline) }
        }
        let queue = try await OfflineQueueEngine(
            store: MemoryQueueStore(), engine: engine, configuration: configuration)
        let fixed = queue
        let ticket = try await withDeadline(.after(.milliseconds(1), clock: clock)) {
            await fixed.start()
            return try await fixed.enqueue(sample())
        }
        _ = try await ticket.outcome()
        let remaining = deadlines.withLock { $0.first ?? nil }.map { $0.remaining(at: clock.now) }
        #expect(remaining == .seconds(60))
        await queue.stop(within: .zero)
    }

    @Test func statusAndOutcomesAreStreams() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        let outcomes = fixture.queue.outcomes
        let statuses = await fixture.queue.status
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        let badge = Task { () -> Bool in
            for await status in statuses where status.queued == 1 && status.hold == .offline { return true }
            return false
        }
        let seen = Flag(false)
        Task {
            _ = await badge.value
            seen.set()
        }
        #expect(await fixture.advance { seen.isSet })
        fixture.network.report(.online)
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        var iterator = outcomes.makeAsyncIterator()
        #expect(await iterator.next()?.id == ticket.id)
        #expect(fixture.queueEvents.contains(.depth(queued: 1, needingAttention: 0)))
        await fixture.queue.stop(within: .zero)
    }
}

/// An engine that shows the contexts of its calls.
final class ProbeEngine: RequestEngine {
    let services: EngineServices
    private let look: @Sendable (RequestContext) async -> Void

    init(clock: any GatewayClock, _ look: @escaping @Sendable (RequestContext) async -> Void) {
        services = EngineServices(clock: clock)
        self.look = look
    }

    func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        await look(copy context)
        return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
    }
}

/// A fact that becomes true once.
final class Flag: Sendable {
    private let value: Locked<Bool>

    init(_ value: Bool) { self.value = Locked(value) }

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}
