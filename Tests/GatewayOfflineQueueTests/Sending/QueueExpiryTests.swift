import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// The time to live of an entry may end while its attempt waits.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueExpiryTests {
    /// A credential whose token comes when a gate is opened.
    private final class SlowCredential: CredentialSource {
        let identity = CredentialIdentity(key: "slow", epoch: 1)
        private let gate: Gate

        init(_ gate: Gate) { self.gate = gate }

        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
            await gate.pass()
        }

        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? {
            request.fields[.authorization] = "Bearer token"
            return CredentialStamp(identity: identity, generation: 1)
        }
    }

    /// An engine with a credential of its own.
    private struct Authenticating: RequestEngine {
        let below: AttemptEngine
        let credential: SlowCredential
        var services: EngineServices { below.services }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            var stamped = copy context
            stamped.credentials = credential
            return try await below.send(request, context: stamped)
        }
    }

    /// queue.expired-never-sent
    @Test(arguments: [30, 600]) func whatExpiresWhileItsTokenComesIsNotSent(limit: Int64) async throws {
        let gate = Gate()
        let credential = SlowCredential(gate)
        let fixture = try await EngineFixture {
            $0.credentials = { _ in credential }
            $0.attemptDeadline = .seconds(limit * 2)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample { $0.timeToLive = .seconds(limit) })
        await gate.waitForArrivals(1)
        fixture.clock.advance(by: .seconds(limit + 1))
        gate.open()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.expired]) == 1 })
        #expect(try await ticket.outcome().state == .expired)
        #expect(fixture.transport.requests.isEmpty)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.expired-never-sent: the credential is that of the engine.
    @Test func whatExpiresWhileTheTokenOfTheEngineComesIsNotSent() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let transport = ScriptedTransport { _, _ in .status(200) }
        var configuration = OfflineQueueEngine.Configuration()
        configuration.clock = clock
        let queue = try await OfflineQueueEngine(
            store: MemoryQueueStore(),
            engine: Authenticating(
                below: AttemptEngine(transport: transport), credential: SlowCredential(gate)),
            configuration: configuration)
        await queue.start()
        let late = try await queue.enqueue(sample { $0.timeToLive = .seconds(30) })
        await gate.waitForArrivals(1)
        clock.advance(by: .seconds(31))
        gate.open()
        #expect(
            await isEventually {
                clock.advance(by: .milliseconds(100))
                return (try? await queue.counts()[.expired]) == 1
            })
        #expect(try await late.outcome().state == .expired)
        #expect(transport.requests.isEmpty)
        #expect(try await queue.enqueue(sample()).outcome().isDone)
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer token"])
        await queue.stop(within: .zero)
    }

    /// queue.expired-never-sent: the application takes long to say who is signed in.
    @Test func whatExpiresWhileItsAccountIsLookedUpIsNotSent() async throws {
        let (gate, open) = (Gate(), Gate())
        open.open()
        let credential = SlowCredential(open)
        let fixture = try await EngineFixture {
            $0.credentials = { _ in
                await gate.pass()
                return credential
            }
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample { $0.timeToLive = .seconds(30) })
        await gate.waitForArrivals(1)
        fixture.clock.advance(by: .seconds(31))
        gate.open()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.expired]) == 1 })
        #expect(try await ticket.outcome().state == .expired)
        #expect(fixture.transport.requests.isEmpty)
        await fixture.queue.stop(within: .zero)
    }

    /// The result of what was sent in time is waited for.
    @Test func anAttemptThatWasSentInTimeEnds() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { _, _ in
            await gate.pass()
            return .status(200, "late")
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample { $0.timeToLive = .seconds(30) })
        await gate.waitForArrivals(1)
        fixture.clock.advance(by: .seconds(31))
        gate.open()
        let outcome = try await ticket.outcome()
        #expect(outcome.isDone)
        #expect(try outcome.response?.text() == "late")
        #expect(fixture.transport.requests.count == 1)
        await fixture.queue.stop(within: .zero)
    }
}
