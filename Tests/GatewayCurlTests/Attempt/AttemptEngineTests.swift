import GatewayTesting
import Testing

@testable import GatewayCore

@Suite struct AttemptEngineTests {
    private func context(_ credential: RollingCredential) -> RequestContext {
        RequestContext(credentials: credential)
    }

    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.get, "http://127.0.0.1/x") }

    @Test func aCallWithoutCredentialIsSentAsItIs() async throws {
        let transport = ScriptedTransport(.status(200))
        let response = try await AttemptEngine(transport: transport).send(request, context: RequestContext())
        #expect(response.exchange.stamp == nil)
        #expect(transport.requests.map { $0.fields.count } == [0])
    }

    @Test func aReadyCredentialIsStampedWithoutAWait() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        let response = try await AttemptEngine(transport: transport).send(
            request, context: context(credential))
        #expect(response.exchange.stamp?.generation == 1 && credential.readyCount == 0)
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer 1"])
    }

    @Test func whatWasReadyMayBeUsedUpBeforeTheStamp() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.failStamps(2)
        credential.expire()
        let admission = CountingAdmission()
        let engine = AttemptEngine(transport: transport, admission: admission)
        _ = try await engine.send(request, context: context(credential))
        #expect(transport.requests.count == 1)
        #expect(admission.log == ["enter", "notSent", "enter", "notSent", "enter", "response 200"])
    }

    @Test func aCredentialThatIsAlwaysUsedUpIsAnError() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.failStamps(100)
        let admission = CountingAdmission()
        let error = await #expect(throws: NetworkError.self) {
            try await AttemptEngine(transport: transport, admission: admission).send(
                request, context: context(credential))
        }
        #expect(error?.code == .tokenUnavailable && error?.attempts == 0)
        #expect(transport.requests.isEmpty)
        #expect(admission.log == Array(repeating: ["enter", "notSent"], count: 4).flatMap(\.self))
    }

    /// A request that comes back because its credential was replaced is stamped with the next one, however often.
    @Test func whatTheTransportGivesBackIsStampedAgain() async throws {
        let credential = RollingCredential()
        let transport = ReturningTransport(credential: credential, times: 6, rolls: true)
        let response = try await AttemptEngine(transport: transport).send(
            request, context: context(credential))
        #expect(response.exchange.attempts == 1 && response.exchange.stamp?.generation == 7)
        #expect(
            transport.log == ["Bearer 1 first"] + (1...6).map { "Bearer \($0 + 1) after \($0) s" })
    }

    /// A transport keeps a request in the end if its credential stays the same.
    @Test func theSameCredentialIsGivenBackThreeTimes() async throws {
        let credential = RollingCredential()
        let transport = ReturningTransport(credential: credential, times: 100, rolls: false)
        let response = try await AttemptEngine(transport: transport).send(
            request, context: context(credential))
        #expect(response.status == 200)
        #expect(
            transport.log == [
                "Bearer 1 first", "Bearer 1 after 1 s", "Bearer 1 after 2 s", "Bearer 1 after 3 s, last",
            ])
    }

    /// The credential is ready before the permit is taken, and stamped after it.
    @Test func theStampComesAfterTheAdmission() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.expire()
        let admission = CountingAdmission { credential.roll() }
        let response = try await AttemptEngine(transport: transport, admission: admission).send(
            request, context: context(credential))
        #expect(credential.readyCount == 1)
        #expect(response.exchange.stamp?.generation == 2)
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer 2"])
    }

    /// The credential may be replaced between the admission of a hedge and its stamp.
    @Test func aHedgeDoesNotWaitForTheNextCredential() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.failStamps(1)
        let admission = CountingAdmission(admitsAtOnce: true)
        var hedge = context(credential)
        hedge.attempt = AttemptInfo(number: 2, reason: .hedge)
        let (engine, context) = (AttemptEngine(transport: transport, admission: admission), hedge)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(request, context: context)
        }
        #expect(error?.code == .overloaded && error?.attempts == 0 && error?.mayHaveBeenSent == false)
        #expect(transport.requests.isEmpty && credential.readyCount == 0)
        #expect(admission.log == ["enter", "notSent"])
    }

    @Test func aRefusedAdmissionSendsNothing() async throws {
        let transport = ScriptedTransport(.status(200))
        let admission = CountingAdmission(refuses: true)
        let error = await #expect(throws: NetworkError.self) {
            try await AttemptEngine(transport: transport, admission: admission).send(
                request, context: RequestContext())
        }
        #expect(error?.code == .overloaded && transport.requests.isEmpty && admission.log == ["enter"])
    }

    @Test func aFailureEndsThePermit() async throws {
        let transport = ScriptedTransport(.failure(NetworkError(.connectionLost, "lost")))
        let admission = CountingAdmission()
        _ = await #expect(throws: NetworkError.self) {
            try await AttemptEngine(transport: transport, admission: admission).send(
                request, context: RequestContext())
        }
        #expect(admission.log == ["enter", "failed connection_lost"])
    }

    @Test func thePermitOfAStreamEndsWithItsBody() async throws {
        let (admission, stream) = (CountingAdmission(), HeldStream())
        let transport = ScriptedTransport { _, _ in .streamed(status: 200, stream.chunks()) }
        let engine = AttemptEngine(transport: transport, admission: admission)
        let response = try await engine.send(request, context: RequestContext())
        #expect(admission.log == ["enter"])
        response.body.discard()
        #expect(admission.log == ["enter", "response 200"] && stream.holders == 0)
    }

    @Test func aStreamThatIsReadToItsEndEndsItsPermitOnce() async throws {
        let admission = CountingAdmission()
        let transport = ScriptedTransport { _, _ in .streamed(status: 206, Pieces(error: nil)) }
        let response = try await AttemptEngine(transport: transport, admission: admission).send(
            request, context: RequestContext())
        #expect(try await response.body.collect(upToBytes: 10) == [1, 2])
        #expect(admission.log == ["enter", "response 206"])
    }

    @Test func aStreamThatFailsIsAFailure() async throws {
        let admission = CountingAdmission()
        let transport = ScriptedTransport { _, _ in
            .streamed(status: 200, Pieces(error: NetworkError(.truncated, "cut")))
        }
        let response = try await AttemptEngine(transport: transport, admission: admission).send(
            request, context: RequestContext())
        _ = await #expect(throws: NetworkError.self) { try await response.body.collect(upToBytes: 10) }
        #expect(admission.log == ["enter", "failed truncated"])
    }
}

/// Gives a request back a number of times, unless it is to keep it.
private final class ReturningTransport: Transport {
    private let credential: RollingCredential
    private let times: Int
    private let rolls: Bool
    private let recorded = Locked<[String]>([])

    /// - Parameter rolls: whether there is a newer credential each time.
    init(credential: RollingCredential, times: Int, rolls: Bool) {
        self.credential = credential
        self.times = times
        self.rolls = rolls
    }

    var log: [String] { recorded.withLock { $0 } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let count = recorded.withLock { log in
            let waited = request.handover?.waited.map { "after \($0.text)" } ?? "first"
            let last = request.handover?.isLast == true ? ", last" : ""
            log.append("\(request.fields[.authorization] ?? "none") \(waited)\(last)")
            return log.count
        }
        if count <= times, let handover = request.handover, !handover.isLast {
            if rolls { credential.roll() }
            throw NetworkError(.credentialStale, "given back", origin: request.origin)
                .with(waited: (handover.waited ?? .zero) + .seconds(1))
        }
        return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
    }
}

/// Admits everything or nothing, and notes what becomes of its permits.
private final class CountingAdmission: AdmissionControl {
    private let refuses: Bool
    private let admitsAtOnce: Bool
    private let onEnter: @Sendable () -> Void
    private let recorded = Locked<[String]>([])

    init(
        refuses: Bool = false, admitsAtOnce: Bool = false, onEnter: @escaping @Sendable () -> Void = {}
    ) {
        self.refuses = refuses
        self.admitsAtOnce = admitsAtOnce
        self.onEnter = onEnter
    }

    var log: [String] { recorded.withLock { $0 } }

    private struct Permit: AdmissionPermit {
        let owner: CountingAdmission

        func end(_ outcome: AdmissionOutcome) {
            let text =
                switch outcome {
                case .response(let status): "response \(status)"
                case .failed(let error): "failed \(error.code.name)"
                case .notSent: "notSent"
                }
            owner.recorded.withLock { $0.append(text) }
        }
    }

    func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? {
        admitsAtOnce ? try admit(request) : nil
    }

    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit { try admit(request) }

    private func admit(_ request: HTTPRequest) throws(NetworkError) -> Permit {
        recorded.withLock { $0.append("enter") }
        onEnter()
        guard !refuses else { throw NetworkError(.overloaded, "Too many.", origin: request.origin) }
        return Permit(owner: self)
    }
}

/// Two bytes, then the end or an error.
private struct Pieces: AsyncSequence, Sendable {
    let error: NetworkError?

    struct Iterator: AsyncIteratorProtocol {
        let error: NetworkError?
        var count = 0

        mutating func next() async throws -> HTTPBody.Chunk? {
            count += 1
            if count <= 2 { return [UInt8(count)] }
            if let error { throw error }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(error: error) }
}
