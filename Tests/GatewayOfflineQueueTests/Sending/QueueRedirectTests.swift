import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// An entry never leaves its origin, and no other request takes its place.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueRedirectTests {
    struct Case: Sendable, CustomStringConvertible {
        let status: Int
        let location: String?
        var description: String { "\(status) \(location ?? "-")" }
    }

    private static let followed: [Case] = [307, 308].flatMap { status in
        ["/v2/items?a=1", "https://api.example.com/v2/items?a=1", "../v2/items?a=1#part"].map {
            Case(status: status, location: $0)
        }
    }

    /// queue.redirects, queue.same-bytes
    @Test(arguments: followed) func aRedirectWithinTheOriginIsFollowed(sample redirect: Case) async throws {
        let fixture = try await EngineFixture { _, index in
            index == 0
                ? .status(redirect.status, fields: [.location: redirect.location ?? ""])
                : .status(201, "made")
        }
        await fixture.queue.start()
        let outcome = try await fixture.queue.enqueue(sample("{\"amount\":1}")).outcome()
        #expect(outcome.isDone && outcome.response?.status == 201)
        let sent = fixture.transport.requests
        #expect(sent.map(\.target) == ["/v1/items", "/v2/items?a=1"])
        #expect(Set(sent.map(\.origin)).count == 1 && sent.allSatisfy { $0.method == .post })
        #expect(Set(sent.map { $0.fields[.idempotencyKey] }).count == 1)
        #expect(sent.allSatisfy { $0.body.bytes == Array("{\"amount\":1}".utf8) })
        await fixture.queue.stop(within: .zero)
    }

    private static let elsewhere: [String?] = [
        "https://other.example.com/v1/items", "http://api.example.com/v1/items",
        "https://api.example.com:8443/v1/items", "//other.example.com/", "ftp://api.example.com/", "http://[",
        nil,
    ]
    private static let pages: [String?] = ["/login", "https://login.example.com/", nil]

    private static let refused: [Case] =
        [307, 308].flatMap { status in elsewhere.map { Case(status: status, location: $0) } }
        + [300, 301, 302, 303, 304].flatMap { status in pages.map { Case(status: status, location: $0) } }

    /// queue.redirects: a login page answers everything with 200.
    @Test(arguments: refused) func everyOtherRedirectNeedsAttention(sample redirect: Case) async throws {
        let fixture = try await EngineFixture { _, index in
            guard index == 0 else { return .status(200, "<html>") }
            var fields = HTTPFields()
            fields[.location] = redirect.location
            return .status(redirect.status, fields: fields)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        let outcome = try await ticket.outcome()
        #expect(outcome.state == .poison && outcome.reason == "\(redirect.status)")
        #expect(outcome.response?.status == redirect.status)
        #expect(try await fixture.queue.waitReason(of: ticket.id) == .poison)
        // Not by itself.
        let later = fixture.clock.now + .seconds(600)
        #expect(await fixture.advance(by: .seconds(30)) { fixture.clock.now >= later })
        #expect(fixture.transport.requests.count == 1)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.redirects, queue.same-bytes: the server may act once more if it does not know the key.
    @Test(arguments: [301, 302, 303]) func aRetryAfterARedirectSendsTheSameAgain(status: Int) async throws {
        let fixture = try await EngineFixture { _, index in
            index == 0 ? .status(status, fields: [.location: "/v1/items/1"]) : .status(201)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample("{\"amount\":1}"))
        #expect(try await ticket.outcome().state == .poison)
        #expect(try await fixture.queue.retry(ticket.id))
        #expect(try await ticket.outcome().isDone)
        let sent = fixture.transport.requests
        #expect(sent.map(\.target) == ["/v1/items", "/v1/items"])
        #expect(sent.allSatisfy { $0.method == .post && $0.body.bytes == Array("{\"amount\":1}".utf8) })
        #expect(Set(sent.map { $0.fields[.idempotencyKey] }).count == 1)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.redirects
    @Test func aRedirectInCirclesNeedsAttention() async throws {
        let fixture = try await EngineFixture { request, _ in
            .status(307, fields: [.location: request.target])
        }
        await fixture.queue.start()
        let outcome = try await fixture.queue.enqueue(sample()).outcome()
        #expect(outcome.state == .poison && outcome.reason == "307")
        #expect(fixture.transport.requests.count == 1 + QueueSender.mostHops)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.redirects: another origin says nothing about the account.
    @Test func aRedirectToAnotherOriginParksNoAccount() async throws {
        let fixture = try await EngineFixture { request, _ in
            guard request.origin.host == "api.example.com" else { return .status(401) }
            return request.body.bytes == Array("moved".utf8)
                ? .status(307, fields: [.location: "https://other.example.com/"]) : .status(200)
        }
        await fixture.queue.start()
        let moved = try await fixture.queue.enqueue(sample("moved"))
        #expect(try await moved.outcome().state == .poison)
        #expect(try await fixture.queue.enqueue(sample("other")).outcome().isDone)
        #expect(try await fixture.queue.counts() == [.poison: 1, .done: 1])
        await fixture.queue.stop(within: .zero)
    }

    /// The first server may have acted on it, although the second one was not reached.
    @Test func aTargetThatIsNotReachedDoesNotUndoTheFirst() async throws {
        let fixture = try await EngineFixture { _, index in
            switch index {
            case 0: .status(308, fields: [.location: "/v2/items"])
            case 1: .failure(NetworkError(.connectionRefused, "refused"))
            default: .status(200)
            }
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(await isEventually { (try? await fixture.queue.counts()[.postponed]) == 1 })
        #expect(try await fixture.queue.entries().first?.firstSent != nil)
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.redirects: the layers below follow none.
    @Test func theEngineFollowsNoRedirect() async throws {
        let follows = Locked<[Bool]>([])
        let engine = ProbeEngine(clock: SystemClock()) { context in
            follows.withLock { $0.append(context.followsRedirects) }
        }
        let queue = try await OfflineQueueEngine(store: MemoryQueueStore(), engine: engine)
        await queue.start()
        _ = try await queue.enqueue(sample()).outcome()
        #expect(follows.withLock { $0 } == [false])
        await queue.stop(within: .zero)
    }
}
