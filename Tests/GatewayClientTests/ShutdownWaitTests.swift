import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// Whatever calls wait for, a shutdown ends them, and nothing is sent after it.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct ShutdownWaitTests {
    private static let callers = 20
    private let clock = ManualClock()
    private let events = EventRecorder()

    private var configuration: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.events = events
        configuration.coalescing = nil
        configuration.deadline = nil
        configuration.retry.budget = nil
        configuration.retry.policy = .never
        return configuration
    }

    private func engine(_ transport: any Transport, _ configuration: GatewayConfiguration) -> GatewayEngine {
        GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    private func start(_ engine: GatewayEngine) throws -> [Task<NetworkError.Code?, Never>] {
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        return (0..<Self.callers).map { _ in
            Task {
                do throws(NetworkError) {
                    _ = try await engine.send(request)
                    return nil
                } catch {
                    return error.code
                }
            }
        }
    }

    /// All callers wait: a shutdown without time ends them, and later nothing is sent.
    private func expectEnd(
        of calls: [Task<NetworkError.Code?, Never>], _ engine: GatewayEngine, _ transport: ScriptedTransport,
        then release: () -> Void = {}
    ) async {
        await engine.shutdown(within: .zero)
        for call in calls { #expect(await call.value == .closed) }
        let sent = transport.requests.count
        release()
        clock.advance(by: .seconds(3600))
        await engine.shutdown(within: .zero)
        #expect(transport.requests.count == sent)
        let ends = events.events.filter { event in
            if case .failed(let cause, _, _) = event.kind { return cause.code == .closed }
            return false
        }
        #expect(ends.count == Self.callers)
    }

    private func waitForStarts(_ count: Int) async -> Bool {
        await isEventually {
            events.events.count { event in
                if case .started = event.kind { return true }
                return false
            } == count
        }
    }

    @Test func forTheirTurnInARateGate() async throws {
        let transport = ScriptedTransport(.status(429, fields: ["Retry-After": "30"]))
        let gate = try RateGate(RateGatePolicy(longestWait: .seconds(3600)), clock: clock)
        var configuration = configuration
        configuration.protection.rateGate = gate
        let engine = engine(transport, configuration)
        _ = try await engine.send(try HTTPRequest(.get, "http://127.0.0.1/x"))
        let calls = try start(engine)
        #expect(await isEventually { gate.limits.first?.waiting == Self.callers })
        await expectEnd(of: calls, engine, transport)
        #expect(gate.limits.first?.waiting ?? 0 == 0)
    }

    @Test func forTheirNextAttempt() async throws {
        let transport = ScriptedTransport(.status(503))
        var configuration = configuration
        configuration.retry.policy = ExponentialRetryPolicy(backoff: .fixed(.seconds(5)), jitter: .none)
        let engine = engine(transport, configuration)
        let calls = try start(engine)
        await clock.waitForSleepers(Self.callers)
        await expectEnd(of: calls, engine, transport)
    }

    /// The token that they wait for may come after the shutdown.
    @Test func forAToken() async throws {
        let (transport, gate) = (ScriptedTransport(.status(200)), Gate())
        var configuration = configuration
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                provider: ClosureTokenProvider {
                    await gate.pass()
                    return "token"
                }, clock: clock),
            scope: try CredentialScope(["http://127.0.0.1"]))
        let engine = engine(transport, configuration)
        let calls = try start(engine)
        await gate.waitForArrivals(1)
        #expect(await waitForStarts(Self.callers))
        await expectEnd(of: calls, engine, transport) { gate.open() }
        #expect(transport.requests.isEmpty)
    }

    /// After their first token was rejected.
    @Test func forAnotherToken() async throws {
        let (transport, gate) = (ScriptedTransport(.status(401)), Gate())
        let count = Locked(0)
        var configuration = configuration
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                provider: ClosureTokenProvider {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    if number > 1 { await gate.pass() }
                    return "token-\(number)"
                }, clock: clock),
            scope: try CredentialScope(["http://127.0.0.1"]))
        let engine = engine(transport, configuration)
        let calls = try start(engine)
        await gate.waitForArrivals(1)
        #expect(
            await isEventually {
                events.events.count { event in
                    if case .credentialRejected = event.kind { return true }
                    return false
                } == transport.requests.count
            })
        #expect(await waitForStarts(Self.callers))
        await expectEnd(of: calls, engine, transport) { gate.open() }
    }

    @Test func forAPermitOfTheBulkhead() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        var configuration = configuration
        configuration.protection.bulkhead = BulkheadPolicy(
            perOrigin: .fixed(1), inAll: 1, waitingPerOrigin: 100, longestWait: .seconds(3600))
        let engine = engine(transport, configuration)
        let first = Task { try await engine.send(try HTTPRequest(.get, "http://127.0.0.1/x")).status }
        await gate.waitForArrivals(1)
        let calls = try start(engine)
        let bulkhead = try #require(engine.bulkhead)
        #expect(await isEventually { bulkhead.statistics.all.waitingCount == Self.callers })
        await expectEnd(of: calls, engine, transport)
        #expect(bulkhead.statistics.all.waitingCount == 0)
        gate.open()
        #expect(try await first.value == 200)
        #expect(transport.requests.count == 1)
    }

    @Test func forAnAdmissionOfTheProgram() async throws {
        let transport = ScriptedTransport(.status(200))
        var configuration = configuration
        configuration.protection.admission = Sleeping(clock: clock)
        let engine = engine(transport, configuration)
        let calls = try start(engine)
        await clock.waitForSleepers(Self.callers)
        await expectEnd(of: calls, engine, transport)
        #expect(transport.requests.isEmpty)
    }

    @Test func forAConnectionSlot() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        var configuration = configuration
        configuration.transport.connectionsPerOrigin = 1
        configuration.transport.timeouts.queue = .seconds(3600)
        let engine = try configuration.makeEngine()
        let (hold, url) = (gateway.hold(), gateway.apiURL)
        let calls = (0...Self.callers).map { number in
            Task { try await engine.send(try HTTPRequest(.get, "\(url)/books?call=\(number)")).status }
        }
        await hold.waitForArrivals(1)
        #expect(await isEventually { await engine.statistics().all.waiting == Self.callers })
        await engine.shutdown(within: .zero)
        for call in calls {
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.code == .closed)
        }
        hold.release()
    }

    /// Those who wait have the time that the shutdown gives.
    @Test func thoseWhoWaitHaveTheTimeOfTheShutdown() async throws {
        let transport = ScriptedTransport(.status(503))
        var configuration = configuration
        configuration.retry.policy = ExponentialRetryPolicy(
            maximumAttempts: 2, backoff: .fixed(.seconds(5)), jitter: .none)
        let engine = engine(transport, configuration)
        let calls = try start(engine)
        await clock.waitForSleepers(Self.callers)
        let shutdown = Task { await engine.shutdown(within: .seconds(10)) }
        await clock.waitForSleepers(Self.callers + 1)
        clock.advance(by: .seconds(5))
        for call in calls { #expect(await call.value == nil) }
        await shutdown.value
        #expect(transport.requests.count == 2 * Self.callers)
    }

    /// A call that is cancelled is cancelled, also where a shutdown would have ended it.
    @Test func aCancelledCallIsCancelled() async throws {
        let transport = ScriptedTransport(.status(503))
        var configuration = configuration
        configuration.retry.policy = ExponentialRetryPolicy(backoff: .fixed(.seconds(5)), jitter: .none)
        let engine = engine(transport, configuration)
        let calls = try start(engine)
        await clock.waitForSleepers(Self.callers)
        for call in calls { call.cancel() }
        for call in calls { #expect(await call.value == .cancelled) }
        await engine.shutdown(within: .zero)
    }
}

/// Admits nothing for an hour.
private struct Sleeping: AdmissionControl {
    let clock: ManualClock

    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        do { try await clock.sleep(until: clock.now.advanced(by: .seconds(3600))) } catch {
            throw NetworkError(.cancelled, "The task was cancelled.", origin: request.origin)
        }
        throw NetworkError(.overloaded, "There is no permit.", origin: request.origin)
    }
}
