/// Makes one attempt of a call: waits until the credential is ready and for its turn under a rate limit, enters the
/// admission control and the connection slots of the transport, adds the credential to the request, and passes it to
/// the transport, where it starts immediately.
///
/// It is the innermost engine. Nothing waits after the stamp. An attempt that has a permit and cannot be stamped, or
/// may not be sent any more, returns the permit and begins again; that is not an attempt of the call.
public struct AttemptEngine: RequestEngine {
    /// How often in a row a credential may have expired when the request is stamped, although the request has not
    /// waited.
    private static let expiries = 4

    /// Starts exchanges immediately: with a transport that has slots, each attempt already holds one.
    @usableFromInline let transport: any Transport
    /// The control of the engine, and then the slots. Not optional, nor are permits: to look into an optional copies
    /// it.
    let admission: any AdmissionControl
    let gate: (any AttemptGate)?
    let instrument: (any AttemptInstrument)?
    /// The system's clock, and whether the transport shows a client certificate.
    public let services: EngineServices

    /// Makes an engine above a transport.
    ///
    /// - Parameters:
    ///   - transport: makes the exchange.
    ///   - admission: decides when an attempt may be made; `nil` for immediately. A slot of the transport is taken
    ///     after it.
    ///   - instrument: observes attempts and writes their trace fields; `nil` for ``TracePropagation``.
    public init(
        transport: any Transport, admission: (any AdmissionControl)? = nil,
        instrument: (any AttemptInstrument)? = nil
    ) {
        self.init(transport: transport, admission: admission, gate: nil, instrument: instrument)
    }

    /// Makes an engine above a transport.
    ///
    /// - Parameter gate: holds attempts back while a server limits their rate; `nil` for none.
    package init(
        transport: any Transport, admission: (any AdmissionControl)?, gate: (any AttemptGate)?,
        instrument: (any AttemptInstrument)?
    ) {
        let slots = transport.slots
        self.transport = slots?.transport ?? transport
        self.admission = AdmissionChain.joining(admission, slots?.admission) ?? UnguardedAdmission()
        self.gate = gate
        self.instrument = instrument
        var services = EngineServices()
        services.showsClientCertificate = transport.showsClientCertificate
        self.services = services
    }

    // Inlinable, so that the layers above and this one have one async frame.
    /// Makes one attempt.
    @inlinable
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let isImmediate = isImmediate(context)
        guard isImmediate, let start = try startNow(request, context) else {
            return try await attempt(request, context: context, isTried: isImmediate)
        }
        do {
            return received(
                try await transport.send(start.request, context: context), start, request, context)
        } catch {
            throw failed(error, start, request, context)
        }
    }

    /// An attempt that may be sent.
    @usableFromInline
    struct Start: Sendable {
        /// The stamped request.
        @usableFromInline var request: HTTPRequest
        @usableFromInline let permit: any AdmissionPermit
        /// What the gate said.
        @usableFromInline let mark: UInt64
        /// `nil` if nothing observes or traces the attempt.
        @usableFromInline var observation: Observation?
    }

    // Out of line, to keep the async frame small.

    /// Whether an attempt may begin without asking the gate first. Only-if-cached attempts are not sent, and hedges do not wait.
    @usableFromInline
    @inline(never)
    func isImmediate(_ context: RequestContext) -> Bool {
        context.cache != .onlyIfCached && context.attempt.reason != .hedge && gate?.isLimiting != true
    }

    /// Begins an attempt that need not wait; `nil` for any other. A permit without a credential is returned
    /// immediately. Records the start, and if it throws the end, too.
    @usableFromInline
    @inline(never)
    func startNow(_ request: HTTPRequest, _ context: RequestContext) throws(NetworkError) -> Start? {
        do {
            guard let permit = try admission.enterNow(request, context: context),
                let mark = mark(request, permit, context),
                var start = try start(request, permit, mark, context, after: nil)
            else { return nil }
            observe(&start, request, context, isRecorded: nil)
            return start
        } catch {
            throw notStarted(error, request, context, isRecorded: nil)
        }
    }

    /// Begins an attempt that has waited for its permit.
    @inline(never)
    private func startNow(
        _ request: HTTPRequest, _ permit: any AdmissionPermit, _ mark: UInt64, _ context: RequestContext,
        after wait: Duration, isRecorded: Bool
    ) throws(NetworkError) -> Start? {
        guard var start = try start(request, permit, mark, context, after: wait) else { return nil }
        observe(&start, request, context, isRecorded: isRecorded)
        return start
    }

    /// What the gate says of an attempt that has its permit; `nil` if it has closed, and the permit is ended.
    private func mark(
        _ request: HTTPRequest, _ permit: any AdmissionPermit, _ context: RequestContext
    ) -> UInt64? {
        guard let gate else { return 0 }
        let mark = gate.admit(request, context)
        if mark == nil { permit.end(.notSent) }
        return mark
    }

    /// Stamps an attempt that has its permit; `nil` if there is no credential. The permit is ended unless the attempt
    /// begins.
    ///
    /// - Parameter wait: how long it has waited for a connection; `nil` for not at all, and not for its credential
    ///   either.
    @inline(__always)
    private func start(
        _ request: HTTPRequest, _ permit: any AdmissionPermit, _ mark: UInt64, _ context: RequestContext,
        after wait: Duration?
    ) throws(NetworkError) -> Start? {
        // A shutdown may have come while the attempt waited.
        if context.isEngineOver {
            permit.end(.notSent)
            throw context.endOfWait("waited for its attempt", at: request.origin, phase: .queue)
        }
        let next: HTTPRequest?
        do {
            next = try Self.stamped(request, context, after: wait)
        } catch {
            permit.end(.failed(error))
            throw error
        }
        guard let stamped = next else {
            permit.end(.notSent)
            return nil
        }
        guard context.racing?.begin() ?? true else {
            permit.end(.notSent)
            throw Self.wouldWait(request)
        }
        context.replay?.pass()
        return Start(request: stamped, permit: permit, mark: mark)
    }

    /// The request with its credential; `nil` if there is none.
    private static func stamped(
        _ request: HTTPRequest, _ context: RequestContext, after wait: Duration?
    ) throws(NetworkError) -> HTTPRequest? {
        guard context.credentials != nil || (wait ?? .zero) > .zero else { return request }
        var stamped = request
        var stamp: CredentialStamp?
        if let credentials = context.credentials {
            let generation = context.minimumGeneration
            stamp =
                wait == nil
                ? try credentials.stampIfReady(&stamped, atLeast: generation)
                : try credentials.stamp(&stamped, atLeast: generation)
            guard stamp != nil else { return nil }
        }
        stamped.set(stamp, connectionWait: wait ?? .zero)
        return stamped
    }

    /// Takes note of a response, and then ends the permit, or lets it end with the body: the next request that gets it
    /// is stamped with what is known by then.
    @usableFromInline
    @inline(never)
    func received(
        _ response: consuming HTTPResponse, _ start: Start, _ request: HTTPRequest,
        _ context: RequestContext
    ) -> HTTPResponse {
        if let stamp = start.request.stamp {
            response.set(stamp)
            context.credentials?.note(response, to: start.request)
        }
        response.removeEchoedSecrets(of: start.request, in: HTTPField.Name.requestIDs)
        if let names = context.events?.requestIDFields, names != HTTPField.Name.requestIDs {
            response.removeEchoedSecrets(of: start.request, in: names)
        }
        gate?.note(response, to: request, context, sent: start.mark)
        if !response.isStreamed {
            start.permit.end(.response(status: response.status))
        } else if let rest = start.permit.responded(status: response.status) {
            response.body = response.body.ending(rest, status: response.status)
        }
        if let observation = start.observation { end(observation, &response, request, context) }
        return response
    }

    /// Ends the permit of an attempt that failed.
    @usableFromInline
    @inline(never)
    func failed(
        _ error: NetworkError, _ start: Start, _ request: HTTPRequest, _ context: RequestContext
    ) -> NetworkError {
        start.permit.end(.failed(error))
        guard let observation = start.observation else { return error }
        return end(observation, error, request, context)
    }

    // MARK: Attempts that may wait

    /// - Parameter isTried: whether it could not begin without a wait.
    @usableFromInline
    @inline(never)
    func attempt(
        _ request: HTTPRequest, context: RequestContext, isTried: Bool
    ) async throws(NetworkError) -> HTTPResponse {
        if let gate, gate.isLimiting { try await wait(in: gate, request, context) }
        let start = try await start(request, context, isTried)
        do {
            return received(
                try await transport.send(start.request, context: context), start, request, context)
        } catch {
            throw failed(error, start, request, context)
        }
    }

    /// Waits until the attempt may be sent. In line: each async frame of an attempt that waits costs it.
    @inline(__always)
    private func start(
        _ request: HTTPRequest, _ context: RequestContext, _ isTried: Bool
    ) async throws(NetworkError) -> Start {
        if context.cache == .onlyIfCached {
            throw notStarted(Self.notCached(request), request, context, isRecorded: nil)
        }
        if !isTried, let start = try startNow(request, context) { return start }
        // A hedge must not add to a queue, and an attempt that itself waits is not helped by a second one.
        if context.attempt.reason == .hedge { throw Self.wouldWait(request) }
        let isRecorded = recordStart(request, context)
        do {
            return try await startLater(request, context, isRecorded)
        } catch {
            throw notStarted(error, request, context, isRecorded: isRecorded)
        }
    }

    /// Waits for a permit and a credential. The attempt has a permit only while it does not wait.
    @inline(__always)
    private func startLater(
        _ request: HTTPRequest, _ context: RequestContext, _ isRecorded: Bool
    ) async throws(NetworkError) -> Start {
        var expiries = 0
        while true {
            try await Self.ready(request, context)
            let permit = try await enter(request, context)
            guard let mark = mark(request, permit, context) else {
                if let gate { try await wait(in: gate, request, context) }
                continue
            }
            let (wait, hasWaited) = (permit.connectionWait, permit.hasWaited)
            if let start = try startNow(request, permit, mark, context, after: wait, isRecorded: isRecorded) {
                return start
            }
            if context.attempt.isReplay { context.replay?.wait() }
            // Each new credential is a new chance for an attempt that waits, and so is one that was replaced.
            expiries = hasWaited || !Self.hasExpired(context) ? 0 : expiries + 1
            guard expiries < Self.expiries else { throw Self.expiring(request) }
        }
    }

    /// Enters the admission control. A replay that waits there has its place before first attempts.
    @inline(__always)
    private func enter(
        _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        if let replay = context.replay {
            if let permit = try admission.enterNow(request, context: context) { return permit }
            replay.pass()
        }
        return try await admission.enter(request, context: context)
    }

    /// Waits for the turn of the attempt. Its credential is ready before, so a released attempt is sent immediately.
    @inline(never)
    private func wait(
        in gate: any AttemptGate, _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) {
        guard context.cache != .onlyIfCached else { return }
        if context.attempt.reason != .hedge { try await Self.ready(request, context) }
        context.replay?.pass()
        try await gate.wait(request, context)
    }

    @inline(never)
    private static func isReady(_ context: RequestContext) -> Bool {
        context.credentials?.isReady(atLeast: context.minimumGeneration) ?? true
    }

    @inline(never)
    private static func hasExpired(_ context: RequestContext) -> Bool {
        context.credentials?.hasExpired(atLeast: context.minimumGeneration) ?? false
    }

    @inline(__always)
    private static func ready(
        _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) {
        guard !isReady(context), let credentials = context.credentials else { return }
        try await context.waitUntilReady(credentials, atLeast: context.minimumGeneration, for: request)
    }

    // MARK: Errors

    @inline(never)
    private static func notCached(_ request: HTTPRequest) -> NetworkError {
        NetworkError(
            .notCached, "The call may use only a stored response, and there is none.", origin: request.origin)
    }

    @inline(never)
    private static func expiring(_ request: HTTPRequest) -> NetworkError {
        NetworkError(
            .tokenUnavailable,
            "Each new token expired before a request could be sent with it: check the tokens' lifetime and the clock.",
            origin: request.origin)
    }

    @inline(never)
    private static func wouldWait(_ request: HTTPRequest) -> NetworkError {
        NetworkError(
            .overloaded, "The hedge would have to wait, or comes too late.", origin: request.origin,
            phase: .queue)
    }
}

extension AttemptEngine: Redacted {}
