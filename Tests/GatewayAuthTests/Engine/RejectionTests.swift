import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// 401s: one refresh for all, one replay for each.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RejectionTests {
    private static let origin = "https://api.example.com"

    private func engine(
        _ gateway: any Transport, _ acquirer: any TokenAcquirer, clock: ManualClock = ManualClock()
    ) throws -> (AuthenticatedRequestEngine, TokenRefreshCoordinator) {
        let coordinator = TokenRefreshCoordinator(
            acquirer: acquirer, clock: clock, random: SeededRandomSource(seed: 1))
        return (
            AuthenticatedRequestEngine(
                transport: gateway, coordinator: coordinator, scope: try CredentialScope([Self.origin]),
                clock: clock), coordinator
        )
    }

    private static func request(
        _ path: String = "/", _ method: HTTPMethod = .get, body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        try HTTPRequest(method, origin + path, body: body)
    }

    @Test(arguments: 0..<SoakScale.rounds(1))
    func aThousandRejectionsAreOneTokenRequest(round: Int) async throws {
        let gate = Gate()
        let gateway = FakeGateway(accepting: "token-2", gate: gate)
        let acquirer = ScriptedAcquirer()
        let (engine, coordinator) = try engine(gateway, acquirer)
        _ = try await coordinator.token()
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for call in 0..<1000 {
                group.addTask { try await engine.send(try Self.request("/\(call)")) }
            }
            await gate.waitForArrivals(1000)
            gate.open()
            for try await response in group {
                #expect(response.status == 200)
                #expect(response.exchange.attempts == 2)
                #expect(response.exchange.stamp?.generation == 2)
            }
        }
        #expect(acquirer.count == 2)
        #expect(gateway.mostSent == 2)
        #expect(gateway.total == 2000)
    }

    /// A token that the API has accepted and rejects now was revoked: a second 401 reports it, so that it is sent no more. A
    /// token that was never accepted is not, since calls would cost two tokens each.
    @Test(arguments: [true, false])
    func aSecondRejectionIsReportedIfTheTokenWasAccepted(isAccepted: Bool) async throws {
        let (first, second) = (Gate(), Gate())
        let sent = Locked<[String]>([])
        let gateway = ScriptedTransport { request, _ in
            let token = request.fields[.authorization] ?? ""
            sent.withLock { $0.append("\(request.target) \(token)") }
            switch (request.target, token) {
            case (_, "Bearer token-1"):
                await first.pass()
                return .status(401)
            case ("/revoked", "Bearer token-2"):
                await second.pass()
                return .status(401)
            case ("/accepted", "Bearer token-2"): return .status(isAccepted ? 200 : 401)
            case ("/next", "Bearer token-3"): return .status(200)
            default: return .status(401)
            }
        }
        let acquirer = ScriptedAcquirer()
        let (engine, _) = try engine(gateway, acquirer)
        let revoked = Task { try await engine.send(try Self.request("/revoked")) }
        let accepted = Task { try await engine.send(try Self.request("/accepted")) }
        await first.waitForArrivals(2)
        first.open()
        _ = try await accepted.value
        second.open()
        #expect(try await revoked.value.status == 401)
        let before = sent.withLock { $0.count }
        let last = try await engine.send(try Self.request("/next"))
        #expect(last.status == 200)
        let attempts = sent.withLock { Array($0[before...]) }
        #expect(
            attempts
                == (isAccepted ? ["/next Bearer token-3"] : ["/next Bearer token-2", "/next Bearer token-3"]))
        #expect(acquirer.count == 3)
    }

    /// The token counts as accepted after any response, not only after one to a replay.
    @Test func aTokenIsAcceptedByTheResponseToAnyCall() async throws {
        let second = Gate()
        let gateway = ScriptedTransport { request, _ in
            switch (request.target, request.fields[.authorization]) {
            case ("/revoked", "Bearer token-2"):
                await second.pass()
                return .status(401)
            case (_, "Bearer token-2"), (_, "Bearer token-3"): return .status(200)
            default: return .status(401)
            }
        }
        let acquirer = ScriptedAcquirer()
        let (engine, _) = try engine(gateway, acquirer)
        let revoked = Task { try await engine.send(try Self.request("/revoked")) }
        await second.waitForArrivals(1)
        #expect(try await engine.send(try Self.request("/other")).exchange.attempts == 1)
        second.open()
        #expect(try await revoked.value.status == 401)
        #expect(try await engine.send(try Self.request("/other")).exchange.stamp?.generation == 3)
        #expect(acquirer.count == 3)
    }

    @Test func aStreamedRejectionIsGivenUpBeforeTheRefresh() async throws {
        let stream = HeldStream()
        let refresh = Gate()
        let holders = Locked<[Int]>([])
        let gateway = ScriptedTransport { request, _ in
            request.fields[.authorization] == "Bearer token-1"
                ? .streamed(status: 401, stream.chunks()) : .status(200)
        }
        let acquirer = ScriptedAcquirer { _, index in
            holders.withLock { $0.append(stream.holders) }
            if index == 1 { await refresh.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"))
        }
        let (engine, _) = try engine(gateway, acquirer)
        let call = Task { try await engine.send(try Self.request()) }
        await refresh.waitForArrivals(1)
        #expect(holders.withLock { $0 } == [0, 0])
        refresh.open()
        #expect(try await call.value.status == 200)
    }

    @Test(arguments: 0..<SoakScale.rounds(1))
    func aFifthOfTheCallersIsCancelled(round: Int) async throws {
        let random = SeededRandomSource(seed: TestSeed.value(UInt64(round)))
        let gate = Gate()
        let refresh = Gate()
        let gateway = FakeGateway(accepting: "token-2", gate: gate)
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { await refresh.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"))
        }
        let (engine, coordinator) = try engine(gateway, acquirer)
        _ = try await coordinator.token()
        let calls = (0..<1000).map { call in
            Task {
                await outcome { () throws(NetworkError) in
                    try await engine.send(try HTTPRequest(.get, "\(Self.origin)/\(call)"))
                }
            }
        }
        await gate.waitForArrivals(1000)
        let victims = Set((0..<200).map { _ in random.int(in: 0..<1000) })
        for victim in victims where victim % 2 == 0 { calls[victim].cancel() }
        gate.open()
        await refresh.waitForArrivals(1)
        for victim in victims { calls[victim].cancel() }
        refresh.open()
        for (index, call) in calls.enumerated() {
            let result = await call.value
            if victims.contains(index) {
                #expect(result.code == .cancelled || result.value?.status == 200)
            } else {
                #expect(result.value?.status == 200)
            }
        }
        #expect(acquirer.count == 2)
        #expect(gateway.mostSent <= 2)
    }

    @Test func aRejectionOfAnOlderGenerationRefreshesNothing() async throws {
        let gateway = FakeGateway(accepting: "token-2")
        let acquirer = ScriptedAcquirer()
        let clock = ManualClock()
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        let lease = try await coordinator.token()
        // The answer to a request that went out with generation 1 comes when generation 2 is there.
        let below = RecordingEngine { request, context throws(NetworkError) in
            var request = request
            guard let credentials = context.credentials else { throw NetworkError(.other, "none") }
            let stamp = try credentials.stamp(&request, atLeast: context.minimumGeneration)
            if stamp?.generation == 1 { _ = try await coordinator.rejected(lease) }
            var response = try await gateway.send(request, context: context)
            response.exchange.stamp = stamp
            return response
        }
        let engine = AuthenticatedRequestEngine(
            below: below, coordinator: coordinator, scope: try CredentialScope([Self.origin]), clock: clock)
        let response = try await engine.send(try Self.request())
        #expect(response.status == 200)
        #expect(acquirer.count == 2)
        #expect(below.contexts.map(\.minimumGeneration) == [0, 2])
    }

    @Test func aSecondRejectionGoesToTheCaller() async throws {
        let gateway = FakeGateway()
        let acquirer = ScriptedAcquirer()
        let (engine, _) = try engine(gateway, acquirer)
        let response = try await engine.send(try Self.request())
        #expect(response.status == 401)
        #expect(response.exchange.attempts == 2)
        #expect(gateway.total == 2)
        #expect(acquirer.count == 2)
    }

    @Test func freshTokensRejectedTimeAfterTimeSuspendRefreshing() async throws {
        let clock = ManualClock()
        let gateway = FakeGateway()
        let acquirer = ScriptedAcquirer()
        let (engine, _) = try engine(gateway, acquirer, clock: clock)
        for _ in 0..<5 { #expect(try await engine.send(try Self.request()).status == 401) }
        #expect(acquirer.count == 6)
        let request = try Self.request()
        for _ in 0..<5 {
            let result = await outcome { () throws(NetworkError) in try await engine.send(request) }
            #expect(result.code == .refreshSuspended)
        }
        #expect(acquirer.count == 6)
        // After the pause it is tried again, and help ends it.
        clock.advance(by: .seconds(30))
        gateway.accept(["token-7"])
        #expect(try await engine.send(request).status == 200)
        #expect(acquirer.count == 7)
    }

    @Test func aFailedRefreshReachesTheCallerAndNothingIsSentAgain() async throws {
        let gateway = FakeGateway()
        let acquirer = ScriptedAcquirer { _, index in
            if index > 0 { throw NetworkError(.reauthenticationRequired, "no") }
            return TokenGrant(accessToken: Secret("token-1"))
        }
        let (engine, _) = try engine(gateway, acquirer)
        let request = try Self.request()
        let result = await outcome { () throws(NetworkError) in try await engine.send(request) }
        #expect(result.code == .reauthenticationRequired)
        #expect(gateway.total == 1)
    }

    @Test func aBodyThatIsGoneIsNotSentAgain() async throws {
        let gateway = FakeGateway(accepting: "token-2")
        let acquirer = ScriptedAcquirer()
        let (engine, coordinator) = try engine(gateway, acquirer)
        let response = try await engine.send(try Self.request("/once", .post, body: .once(OneShotPieces())))
        #expect(response.status == 401)
        #expect(gateway.sent("/once") == 1)
        // The token is refreshed all the same: the next call finds it.
        #expect(try await coordinator.token(atLeast: 2).generation == 2)
        let next = try await engine.send(try Self.request("/once", .post, body: .once(OneShotPieces())))
        #expect(next.status == 200)
        #expect(acquirer.count == 2)
    }

    @Test func aReplayedBodyIsTheSameByteForByte() async throws {
        let gateway = FakeGateway(accepting: "token-2")
        let (engine, _) = try engine(gateway, ScriptedAcquirer())
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try await engine.send(try Self.request("/", .post, body: .bytes(bytes))).status == 200)
        #expect(gateway.bodies == [bytes, bytes])
    }

    @Test func aCallCancelledDuringTheRefreshIsNotReplayed() async throws {
        let gate = Gate()
        let gateway = FakeGateway(accepting: "token-2")
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"))
        }
        let (engine, coordinator) = try engine(gateway, acquirer)
        let request = try Self.request()
        let call = Task { await outcome { () throws(NetworkError) in try await engine.send(request) } }
        await gate.waitForArrivals(1)
        call.cancel()
        #expect(await call.value.code == .cancelled)
        gate.open()
        #expect(try await coordinator.token(atLeast: 2).generation == 2)
        #expect(gateway.total == 1)
    }

    @Test func aCallCancelledWhenTheTokenIsThereIsNotReplayed() async throws {
        let gate = Gate()
        let coordinator = TokenRefreshCoordinator(acquirer: ScriptedAcquirer(), clock: ManualClock())
        let lease = try await coordinator.token()
        // An engine that does not look whether it is cancelled.
        let below = RecordingEngine { request, context throws(NetworkError) in
            await gate.pass()
            return HTTPResponse(status: 401, exchange: Exchange(origin: request.origin, stamp: lease.stamp))
        }
        let engine = AuthenticatedRequestEngine(
            below: below, coordinator: coordinator, scope: try CredentialScope([Self.origin]))
        let request = try Self.request()
        let call = Task { await outcome { () throws(NetworkError) in try await engine.send(request) } }
        await gate.waitForArrivals(1)
        _ = try await coordinator.rejected(lease)
        call.cancel()
        gate.open()
        #expect(await call.value.code == .cancelled)
        #expect(below.contexts.count == 1)
    }

    @Test func eventsTellOfRejectionAndReplay() async throws {
        let (engine, _) = try engine(FakeGateway(accepting: "token-2"), ScriptedAcquirer())
        let recorder = EventRecorder()
        var context = RequestContext()
        context.events = recorder
        _ = try await engine.send(try Self.request(), context: context)
        let kinds = recorder.events.map { event -> String in
            let kind =
                switch event.kind {
                case .credentialWaited: "waited"
                case .attemptStarted: "attempt started"
                case .attemptEnded: "attempt ended"
                case .credentialRejected(let generation): "rejected \(generation)"
                case .replayed(let generation): "replayed \(generation)"
                default: "other"
                }
            return "\(event.attempt.number) \(event.attempt.reason.rawValue): \(kind)"
        }
        #expect(
            kinds == [
                "1 first: attempt started", "1 first: waited", "1 first: attempt ended",
                "1 first: rejected 1", "1 first: waited", "2 replay: replayed 2",
                "2 replay: attempt started",
                "2 replay: attempt ended",
            ])
    }
}
