import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// What becomes of an entry after an attempt without a response.
@Suite(.tags(.concurrent)) struct QueueFailureTests {
    @Test func byCode() {
        func failure(
            _ code: NetworkError.Code, sent: Bool = false, status: Int? = nil, after: Duration? = nil
        ) -> QueueFailure {
            QueueFailure(
                NetworkError(code, "x", retryAfter: after, status: status, mayHaveBeenSent: sent))
        }
        #expect(failure(.noConnection) == .held(after: nil))
        #expect(failure(.dnsFailure) == .held(after: nil))
        #expect(failure(.connectionRefused) == .held(after: nil))
        #expect(failure(.tlsFailure) == .held(after: nil))
        #expect(failure(.circuitOpen, after: .seconds(3)) == .held(after: .seconds(3)))
        #expect(failure(.overloaded) == .held(after: nil))
        #expect(failure(.closed) == .held(after: nil))
        #expect(failure(.timeout, sent: true) == .retry(after: nil))
        #expect(failure(.connectionLost, sent: true) == .retry(after: nil))
        #expect(failure(.other, sent: true) == .retry(after: nil))
        #expect(failure(.timeout) == .held(after: nil))
        #expect(failure(.cancelled, sent: true) == .released)
        #expect(failure(.reauthenticationRequired) == .park)
        #expect(failure(.signedOut) == .park)
        #expect(failure(.tokenUnavailable) == .credentialMissing)
        #expect(failure(.credentialMissing) == .credentialMissing)
        for code: NetworkError.Code in [.responseTooLarge, .truncated, .malformedResponse, .timeout, .other] {
            #expect(failure(code, sent: true, status: 201) == .responded(status: 201))
            #expect(failure(code, sent: true, status: 503) == .responded(status: 503))
        }
        // The head itself is too large: its status is not known.
        #expect(failure(.responseTooLarge, sent: true) == .retry(after: nil))
        // Statuses of token requests say nothing about the entry.
        #expect(failure(.tokenUnavailable, status: 200) == .credentialMissing)
        #expect(failure(.invalidRequest) == .poison)
        #expect(failure(.invalidURL) == .poison)
        // What this machine lacks, and codes of the program's own, say nothing about the request.
        for code: NetworkError.Code in [
            .misconfigured, .other, .bodyFailed, .responseTooLarge, .decodingFailed, .bodyNotReplayable,
            NetworkError.Code("ours", category: .permanent),
        ] {
            #expect(failure(code) == .unsent(after: nil))
            #expect(failure(code, sent: true) == .retry(after: nil))
        }
    }

    /// queue.unsent-never-poison: a file of trusted certificates that cannot be read for some seconds.
    @Test(arguments: [NetworkError.Code.misconfigured, .other])
    func whatThisMachineLacksIsNoVerdict(code: NetworkError.Code) async throws {
        let lacks = Locked(true)
        let fixture = try await EngineFixture { _, _ in
            lacks.withLock { $0 } ? .failure(NetworkError(code, "x", phase: .queue)) : .status(200)
        }
        await fixture.queue.start()
        var tickets: [QueueTicket] = []
        for number in 0..<5 { tickets.append(try await fixture.queue.enqueue(sample("\(number)"))) }
        let later = fixture.clock.now + .seconds(60)
        #expect(await fixture.advance { fixture.clock.now >= later })
        // Each attempt is told with its reason.
        #expect(
            await isEventually {
                let told = fixture.queueEvents.count { event in
                    guard case .attempted(_, _, let result, let reason, _) = event else { return false }
                    return result == .postponed && reason == code.name
                }
                return told == fixture.transport.requests.count
            })
        // At a bounded pace: the pauses of the origin double.
        #expect(fixture.transport.requests.count <= 16, "\(fixture.transport.requests.count)")
        let entries = try await fixture.queue.entries()
        #expect(entries.allSatisfy { !$0.state.isSettled && $0.firstSent == nil })
        #expect(entries.contains { $0.reason == code.name })
        lacks.withLock { $0 = false }
        #expect(await fixture.advance(by: .seconds(1)) { (try? await fixture.queue.counts()[.done]) == 5 })
        for ticket in tickets { #expect(try await ticket.outcome().isDone) }
        await fixture.queue.stop(within: .zero)
    }

    /// An attempt that certainly did not reach the server leaves its entry as if nothing had been sent.
    @Test func anUnreachableServerLeavesNoTrace() async throws {
        let fixture = try await EngineFixture { _, index in
            index < 3
                ? .failure(NetworkError(.connectionRefused, "refused")) : .status(200)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(await isEventually { (try? await fixture.queue.entries().first?.reason) != nil })
        let entry = try #require(try await fixture.queue.entries().first)
        #expect(entry.state == .waiting && entry.firstSent == nil && entry.reason == "connection_refused")
        if case .origin = try await fixture.queue.waitReason(of: ticket.id) {
        } else {
            Issue.record("it does not wait for its origin")
        }
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ramp: an entry that was leased before is not sent by the task of the attempt that was refused.
    @Test func whatIsAtHandWaitsForAServerThatPushesBack() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture({ $0.concurrency = 1 }) { _, index in
            await gate.pass()
            return .status(index == 0 ? 503 : 200, fields: index == 0 ? [.retryAfter: "30"] : [:])
        }
        await fixture.queue.start()
        let first = try await fixture.queue.enqueue(sample("1"))
        await gate.waitForArrivals(1)
        let second = try await fixture.queue.enqueue(sample("2"))
        #expect(await isEventually { (try? await fixture.queue.counts()[.leased]) == 2 })
        let start = fixture.clock.now
        gate.open()
        #expect(await isEventually { (try? await fixture.queue.counts()[.postponed]) == 1 })
        #expect(fixture.transport.requests.count == 1)
        #expect(await fixture.advance { fixture.transport.requests.count > 1 })
        #expect(start.duration(to: fixture.clock.now) >= .seconds(30))
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 2 })
        #expect(try await first.outcome().isDone)
        #expect(try await second.outcome().isDone)
        // The one that was given back without being sent was sent once.
        #expect(try await fixture.queue.entries().map(\.attempts) == [2, 1])
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ramp: an older request succeeds after a newer one was told to wait.
    @Test func anOlderSuccessDoesNotEndTheWaitThatTheServerAskedFor() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { request, index in
            switch request.body.bytes.map({ String(decoding: $0, as: UTF8.self) }) {
            case "older":
                await gate.pass()
                return .status(200)
            case "newer" where index == 2: return .status(429, fields: [.retryAfter: "20"])
            default: return .status(200)
            }
        }
        await fixture.queue.start()
        // Room for two.
        #expect(try await fixture.queue.enqueue(sample("first")).outcome().isDone)
        let older = try await fixture.queue.enqueue(sample("older"))
        await gate.waitForArrivals(1)
        _ = try await fixture.queue.enqueue(sample("newer"))
        #expect(await isEventually { (try? await fixture.queue.counts()[.postponed]) == 1 })
        let start = fixture.clock.now
        gate.open()
        #expect(try await older.outcome().isDone)
        let next = try await fixture.queue.enqueue(sample("next"))
        #expect(await fixture.advance { fixture.transport.requests.count > 3 })
        #expect(start.duration(to: fixture.clock.now) >= .seconds(20))
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 4 })
        #expect(try await next.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.account-parks: an entry that was leased before is not sent with the login that was refused.
    @Test func whatIsAtHandIsNotSentWithALoginThatWasRefused() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture({ $0.concurrency = 1 }) { _, _ in
            await gate.pass()
            return .status(401)
        }
        await fixture.queue.start()
        _ = try await fixture.queue.enqueue(sample("1"))
        await gate.waitForArrivals(1)
        _ = try await fixture.queue.enqueue(sample("2"))
        #expect(await isEventually { (try? await fixture.queue.counts()[.leased]) == 2 })
        gate.open()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.parked]) == 2 })
        #expect(fixture.transport.requests.count == 1)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.foreground-first
    @Test func attemptsAreInTheBackground() async throws {
        let background = Locked<[Bool]>([])
        let engine = ProbeEngine(clock: SystemClock()) { context in
            background.withLock { $0.append(context.isBackground) }
        }
        let queue = try await OfflineQueueEngine(store: MemoryQueueStore(), engine: engine)
        await queue.start()
        _ = try await queue.enqueue(sample()).outcome()
        #expect(background.withLock { $0 } == [true])
        await queue.stop(within: .zero)
    }
}
