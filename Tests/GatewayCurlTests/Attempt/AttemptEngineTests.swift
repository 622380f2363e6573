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

    /// A permit that was there at once is not kept while the credential is waited for.
    @Test func noPermitIsKeptWhileACredentialIsWaitedFor() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.expire()
        let admission = CountingAdmission(admitsAtOnce: true)
        _ = try await AttemptEngine(transport: transport, admission: admission).send(
            request, context: context(credential))
        #expect(credential.readyCount == 1 && credential.stampCount == 1 && transport.requests.count == 1)
        #expect(admission.log == ["enter", "notSent", "enter", "response 200"])
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

    /// A call may wait for connections while its credential is replaced again and again.
    @Test func aWaitForAConnectionIsAnotherChance() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.failStamps(10)
        let slots = CountingAdmission(waited: .seconds(1))
        let engine = AttemptEngine(transport: Slotted(transport: transport, admission: slots))
        _ = try await engine.send(request, context: context(credential))
        #expect(slots.log.count { $0 == "notSent" } == 10 && slots.log.last == "response 200")
    }

    /// So does a wait for any other permit.
    @Test func aWaitForAPermitIsAnotherChance() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.failStamps(10)
        let admission = CountingAdmission(hasWaited: true)
        let engine = AttemptEngine(
            transport: Slotted(transport: transport, admission: CountingAdmission()), admission: admission)
        _ = try await engine.send(request, context: context(credential))
        #expect(admission.log.count { $0 == "notSent" } == 10 && admission.log.last == "response 200")
    }

    /// A credential that was revoked or replaced has not expired, however often that happens.
    @Test func aReplacedCredentialIsNoExpiry() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        credential.failStamps(10, isReplaced: true)
        let admission = CountingAdmission(admitsAtOnce: true)
        let engine = AttemptEngine(transport: transport, admission: admission)
        _ = try await engine.send(request, context: context(credential))
        #expect(admission.log.count { $0 == "notSent" } == 10 && admission.log.last == "response 200")
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

    /// The slot of a transport is taken after the permit of the engine and before the stamp, and the exchange gets the request
    /// with a slot.
    @Test func theStampComesAfterTheSlot() async throws {
        let (transport, credential) = (ScriptedTransport(.status(200)), RollingCredential())
        let admission = CountingAdmission()
        let slots = CountingAdmission(waited: .seconds(3)) {
            #expect(admission.log == ["enter"] && transport.requests.isEmpty)
            credential.roll()
        }
        let engine = AttemptEngine(
            transport: Slotted(transport: transport, admission: slots), admission: admission)
        let response = try await engine.send(request, context: context(credential))
        #expect(response.exchange.stamp?.generation == 2)
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer 2"])
        #expect(transport.requests.map(\.connectionWait) == [.seconds(3)])
        #expect(admission.log == ["enter", "response 200"] && slots.log == ["enter", "response 200"])
    }

    /// The slot is returned before the permit, so that the next attempt with the permit finds a slot.
    @Test func theSlotEndsBeforeThePermit() async throws {
        let slots = CountingAdmission()
        let ended = Locked<[[String]]>([])
        let admission = CountingAdmission(onEnd: {
            let log = slots.log
            ended.withLock { $0.append(log) }
        })
        let engine = AttemptEngine(
            transport: Slotted(transport: ScriptedTransport(.status(200)), admission: slots),
            admission: admission)
        _ = try await engine.send(request, context: RequestContext())
        #expect(ended.withLock { $0 } == [["enter", "response 200"]])
    }

    /// Without a slot the permit is returned.
    @Test func aRefusedSlotReturnsThePermit() async throws {
        let transport = ScriptedTransport(.status(200))
        let (admission, slots) = (CountingAdmission(), CountingAdmission(refuses: true))
        let engine = AttemptEngine(
            transport: Slotted(transport: transport, admission: slots), admission: admission)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(request, context: RequestContext())
        }
        #expect(error?.code == .overloaded && transport.requests.isEmpty)
        #expect(admission.log == ["enter", "notSent"] && slots.log == ["enter"])
    }

    /// The next request that gets the permit is stamped with what the response said.
    @Test func theCredentialLearnsOfAResponseBeforeThePermitEnds() async throws {
        let credential = RollingCredential(rollsOnRefusal: true)
        let generations = Locked<[UInt64?]>([])
        let admission = CountingAdmission(onEnd: {
            guard var next = try? HTTPRequest(.get, "http://127.0.0.1/next") else { return }
            let stamp = try? credential.stamp(&next, atLeast: 0)
            generations.withLock { $0.append(stamp?.generation) }
        })
        let engine = AttemptEngine(transport: ScriptedTransport(.status(401)), admission: admission)
        let response = try await engine.send(request, context: context(credential))
        #expect(response.status == 401 && response.exchange.stamp?.generation == 1)
        #expect(generations.withLock { $0 } == [2])
    }

    /// A gate that has closed while the attempt waited for its permit: it is returned, and the attempt waits for its turn.
    @Test func aGateThatClosesMeanwhileIsWaitedForWithoutAPermit() async throws {
        let transport = ScriptedTransport(.status(200))
        let gate = ScriptedGate()
        let admission = CountingAdmission { gate.close() }
        let engine = AttemptEngine(
            transport: transport, admission: admission, gate: gate, instrument: nil)
        gate.onWait = { #expect(admission.log == ["enter", "notSent"]) }
        _ = try await engine.send(request, context: RequestContext())
        #expect(admission.log == ["enter", "notSent", "enter", "response 200"])
        #expect(gate.waits == 1 && gate.notes == [7] && transport.requests.count == 1)
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

/// Admits everything or nothing, and notes what becomes of its permits.
private final class CountingAdmission: AdmissionControl {
    private let refuses: Bool
    private let admitsAtOnce: Bool
    private let waited: Duration
    private let hasWaited: Bool
    private let onEnd: @Sendable () -> Void
    private let onEnter: @Sendable () -> Void
    private let recorded = Locked<[String]>([])

    init(
        refuses: Bool = false, admitsAtOnce: Bool = false, waited: Duration = .zero, hasWaited: Bool = false,
        onEnter: @escaping @Sendable () -> Void = {}, onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.refuses = refuses
        self.admitsAtOnce = admitsAtOnce
        self.waited = waited
        self.hasWaited = hasWaited || waited > .zero
        self.onEnd = onEnd
        self.onEnter = onEnter
    }

    var log: [String] { recorded.withLock { $0 } }

    private struct Permit: AdmissionPermit {
        let owner: CountingAdmission

        var connectionWait: Duration { owner.waited }
        var hasWaited: Bool { owner.hasWaited }

        func end(_ outcome: AdmissionOutcome) {
            let text =
                switch outcome {
                case .response(let status): "response \(status)"
                case .failed(let error): "failed \(error.code.name)"
                case .notSent: "notSent"
                }
            owner.recorded.withLock { $0.append(text) }
            owner.onEnd()
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

/// A transport with slots.
private struct Slotted: Transport {
    let transport: ScriptedTransport
    let admission: CountingAdmission

    var slots: TransportSlots? { TransportSlots(admission: admission, transport: transport) }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        Issue.record("the request has no slot")
        return try await transport.send(request, context: context)
    }
}

/// A gate that is closed once, until an attempt waits.
private final class ScriptedGate: AttemptGate {
    private struct State {
        var hasClosed = false
        var isClosed = false
        var waits = 0
        var notes: [UInt64] = []
        var onWait: @Sendable () -> Void = {}
    }

    private let state = Locked(State())

    var waits: Int { state.withLock { $0.waits } }
    var notes: [UInt64] { state.withLock { $0.notes } }
    var onWait: @Sendable () -> Void {
        get { state.withLock { $0.onWait } }
        set { state.withLock { $0.onWait = newValue } }
    }

    func close() {
        state.withLock { state in
            state.isClosed = !state.hasClosed
            state.hasClosed = true
        }
    }

    var isLimiting: Bool { state.withLock { $0.isClosed } }

    func wait(_ request: HTTPRequest, _ context: RequestContext) async throws(NetworkError) {
        onWait()
        state.withLock { state in
            state.waits += 1
            state.isClosed = false
        }
    }

    func admit(_ request: HTTPRequest, _ context: RequestContext) -> UInt64? { isLimiting ? nil : 7 }

    func note(_ response: HTTPResponse, to request: HTTPRequest, _ context: RequestContext, sent: UInt64) {
        state.withLock { $0.notes.append(sent) }
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
