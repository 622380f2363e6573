/// Makes one attempt of a call: waits until the credential is ready, enters the admission control, stamps the request, and
/// passes it to the transport.
///
/// It is the innermost engine. An attempt whose credential is replaced between these steps begins again; that is not an
/// attempt of the call, and the admission control does not count it.
public struct AttemptEngine: RequestEngine {
    /// How often a credential may not be ready or gone when the request is stamped.
    private static var misses: Int { 4 }
    /// How often a request may come back with the same credential. After that it is sent as it was stamped, even if it
    /// waits for a connection again.
    private static var returns: Int { 3 }

    @usableFromInline let transport: any Transport
    @usableFromInline let admission: (any AdmissionControl)?
    let instrument: (any AttemptInstrument)?
    /// Whether the transport's exchanges can go on without their callers.
    @usableFromInline let abandons: Bool
    /// Whether there is nothing but a transport.
    @usableFromInline let isPlain: Bool

    /// Makes an engine above a transport.
    ///
    /// - Parameters:
    ///   - transport: makes the exchange.
    ///   - admission: decides when an attempt may be made; `nil` for at once.
    ///   - instrument: observes attempts and writes their trace fields; `nil` for ``TracePropagation``.
    public init(
        transport: any Transport, admission: (any AdmissionControl)? = nil,
        instrument: (any AttemptInstrument)? = nil
    ) {
        self.transport = transport
        self.admission = admission
        self.instrument = instrument
        abandons = (transport as? any AbandoningTransport)?.abandons == true
        isPlain = admission == nil && instrument == nil
    }

    // Inlinable, so that the layers above and this one have one async frame.
    /// Makes one attempt.
    @inlinable
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard isPlain, Self.isOrdinary(context, abandons) else {
            return try await attempt(request, context: context)
        }
        var course: Course?
        while true {
            guard let stamped = try Self.stamped(request, context, course) else {
                course = try await Self.wait(request, context, course)
                continue
            }
            do {
                return Self.noted(try await transport.send(stamped, context: context), stamped, context)
            } catch {
                course = try Self.returned(error, stamped, course, context)
            }
        }
    }

    /// What has become of an attempt that is not sent yet. An object, since few attempts need one and all frames have room
    /// for it.
    @usableFromInline
    final class Course {
        /// Whether somebody has waited until the credential was ready.
        fileprivate var isReady = false
        /// How often the credential was not ready, or used up before the request was stamped.
        fileprivate var misses = 0
        /// How often the request came back with the same credential.
        fileprivate var returns = 0
        /// How long it waited for connections; `nil` if it was never given back.
        fileprivate var waited: Duration?
        fileprivate var latest: CredentialStamp?
    }

    // Out of line, to keep the async frame small.

    /// Whether nothing observes or traces the attempt, and it may be sent and may wait.
    @usableFromInline
    @inline(never)
    static func isOrdinary(_ context: RequestContext, _ abandons: Bool) -> Bool {
        context.trace == nil && !context.isObserved(as: .attempts) && context.cache != .onlyIfCached
            && context.attempt.reason != .hedge && (abandons || !context.isAbandonable)
    }

    /// The request with its credential; `nil` if that is not ready.
    ///
    /// - Parameter isReady: whether somebody has waited for the credential, although there is no course.
    @usableFromInline
    @inline(never)
    static func stamped(
        _ request: HTTPRequest, _ context: RequestContext, _ course: Course?, isReady: Bool = false
    ) throws(NetworkError) -> HTTPRequest? {
        guard let credentials = context.credentials else { return request }
        var stamped = request
        let generation = context.minimumGeneration
        let stamp =
            isReady || course?.isReady == true
            ? try credentials.stamp(&stamped, atLeast: generation)
            : try credentials.stampIfReady(&stamped, atLeast: generation)
        guard let stamp else { return nil }
        if let course {
            // Each new credential is a new chance, within the limits of the attempt and the call.
            if let latest = course.latest, latest != stamp { course.returns = 0 }
            course.latest = stamp
        }
        stamped.set(
            Handover(
                stamp: stamp, waited: course?.waited,
                isLast: course.map { $0.returns >= Self.returns } == true))
        return stamped
    }

    /// Waits until the credential is ready.
    @usableFromInline
    @inline(never)
    static func wait(
        _ request: HTTPRequest, _ context: RequestContext, _ known: Course?
    ) async throws(NetworkError) -> Course {
        let course = known ?? Course()
        course.misses += 1
        guard course.misses < misses else { throw expiring(request) }
        try await ready(request, context)
        course.isReady = true
        return course
    }

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

    /// Takes note of a request that was given back; throws every other error.
    @usableFromInline
    @inline(never)
    static func returned(
        _ error: NetworkError, _ stamped: HTTPRequest, _ known: Course?, _ context: RequestContext
    ) throws(NetworkError) -> Course {
        guard error.code == .credentialStale else {
            if error.code == .abandoned { noteLater(stamped, nil, context) }
            throw error
        }
        guard !context.isHedgeUnderWay else { throw .givenUp(stamped.origin) }
        let course = known ?? Course()
        course.waited = error.waited ?? course.waited ?? .zero
        course.latest = stamped.handover?.stamp
        course.isReady = false
        course.misses = 0
        course.returns += 1
        return course
    }

    /// The response with the credential of its request, which takes note of it.
    @usableFromInline
    @inline(never)
    static func noted(
        _ response: consuming HTTPResponse, _ stamped: HTTPRequest, _ context: RequestContext
    ) -> HTTPResponse {
        guard let stamp = stamped.handover?.stamp else { return response }
        response.set(stamp)
        context.credentials?.note(response, to: stamped)
        return response
    }

    // MARK: Attempts that are observed, traced or admitted

    @usableFromInline
    @inline(never)
    func attempt(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let isObserved = context.isObserved(as: .attempts)
        if isObserved { Self.recordStart(request, context) }
        // When the request was passed to the transport.
        var sent: ContinuousClock.Instant?
        do {
            var course: Course?
            // Most attempts are admitted at once, and are not traced: one async frame.
            if let (stamped, permit) = try enteredNow(request, context) {
                if isObserved { sent = context.clock.now }
                do {
                    let response = Self.received(
                        try await transport.send(stamped, context: context), stamped, permit, context)
                    if isObserved { Self.recordEnd(response, request, context, sent) }
                    return response
                } catch {
                    course = try Self.failed(error, stamped, permit, course, context)
                    sent = nil
                }
            }
            let response = try await exchange(request, context, course, isObserved, sent: &sent)
            if isObserved { Self.recordEnd(response, request, context, sent) }
            return response
        } catch {
            if isObserved { Self.recordEndOrLater(error, request, context, sent) }
            throw error
        }
    }

    /// The stamped request of an attempt that is not traced and need not wait, with its permit; `nil` for any other.
    @inline(never)
    private func enteredNow(
        _ request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> (stamped: HTTPRequest, permit: (any AdmissionPermit)?)? {
        guard instrument == nil, context.trace == nil, context.cache != .onlyIfCached,
            context.attempt.reason != .hedge, abandons || !context.isAbandonable, Self.isReady(context)
        else { return nil }
        var permit: (any AdmissionPermit)?
        if let admission {
            guard let entered = try admission.enterNow(request, context: context) else { return nil }
            permit = entered
        }
        guard let stamped = try Self.stamped(request, context, nil, for: permit) else { return nil }
        return (stamped, permit)
    }

    /// - Parameter sent: is set to when the request was passed to the transport; `nil` if it was not, or was given back.
    @inline(never)
    private func exchange(
        _ request: HTTPRequest, _ context: RequestContext, _ known: Course?, _ isObserved: Bool,
        sent: inout ContinuousClock.Instant?
    ) async throws(NetworkError) -> HTTPResponse {
        if context.cache == .onlyIfCached { throw Self.notCached(request) }
        var course = known
        while true {
            // The admission control is entered with a credential at hand: the wait for one takes no permit.
            let permit: (any AdmissionPermit)?
            if context.attempt.reason == .hedge {
                permit = try enterAtOnce(request, context)
            } else {
                if course?.isReady != true { try await Self.ready(request, context) }
                permit = try await admission?.enter(request, context: context)
            }
            guard let stamped = try Self.stamped(request, context, course, for: permit) else {
                if context.attempt.reason == .hedge { throw Self.wouldWait(request) }
                course = try await Self.wait(request, context, course)
                continue
            }
            do {
                if isObserved { sent = context.clock.now }
                return try await send(stamped, permit, context)
            } catch {
                if error.code == .credentialStale { sent = nil }
                course = try Self.failed(error, stamped, permit, course, context)
            }
        }
    }

    /// Admits a hedge, which never waits: it must not add to a queue, and an attempt that itself waits is not helped by a
    /// second one.
    private func enterAtOnce(
        _ request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? {
        if Self.isReady(context) {
            guard let admission else { return nil }
            if let permit = try admission.enterNow(request, context: context) { return permit }
        }
        throw Self.wouldWait(request)
    }

    @inline(never)
    private func send(
        _ stamped: HTTPRequest, _ permit: (any AdmissionPermit)?, _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var request = stamped
        let span = beginSpan(&request, context)
        let response: HTTPResponse
        do {
            response =
                abandons || !context.isAbandonable
                ? try await transport.send(request, context: context)
                : try await DetachedExchange(transport, request, context).response()
        } catch {
            if let span { endOrLater(span, error, context) }
            throw error
        }
        if let span { end(span, response, context) }
        return Self.received(response, stamped, permit, context)
    }

    /// The request with its credential, which somebody has waited for; `nil` if that is gone. The permit is ended unless
    /// there is a request.
    @inline(never)
    private static func stamped(
        _ request: HTTPRequest, _ context: RequestContext, _ course: Course?,
        for permit: (any AdmissionPermit)?
    ) throws(NetworkError) -> HTTPRequest? {
        do {
            let stamped = try stamped(request, context, course, isReady: true)
            if stamped == nil { permit?.end(.notSent) }
            return stamped
        } catch {
            permit?.end(.failed(error))
            throw error
        }
    }

    /// Notes a response. The permit is ended, or will be with the body.
    @inline(never)
    static func received(
        _ response: HTTPResponse, _ stamped: HTTPRequest, _ permit: (any AdmissionPermit)?,
        _ context: RequestContext
    ) -> HTTPResponse {
        var response = noted(response, stamped, context)
        guard let permit else { return response }
        if !response.isStreamed {
            permit.end(.response(status: response.status))
        } else if let rest = permit.responded(status: response.status) {
            response.body = response.body.ending(rest, status: response.status)
        }
        return response
    }

    /// Ends the permit, and takes note of a request that was given back; throws every other error.
    @inline(never)
    private static func failed(
        _ error: NetworkError, _ stamped: HTTPRequest, _ permit: (any AdmissionPermit)?, _ course: Course?,
        _ context: RequestContext
    ) throws(NetworkError) -> Course {
        guard error.code != .abandoned else {
            noteLater(stamped, permit, context)
            throw error
        }
        end(permit, error)
        return try returned(error, stamped, course, context)
    }

    /// Ends the permit of an attempt that failed.
    static func end(_ permit: (any AdmissionPermit)?, _ error: NetworkError) {
        permit?.end(error.code == .credentialStale || error.code == .heldBack ? .notSent : .failed(error))
    }

    @inline(never)
    private static func isReady(_ context: RequestContext) -> Bool {
        context.credentials?.isReady(atLeast: context.minimumGeneration) ?? true
    }

    @inline(__always)
    private static func ready(
        _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) {
        guard !isReady(context), let credentials = context.credentials else { return }
        let start = context.events == nil ? nil : context.clock.now
        try await credentials.ready(atLeast: context.minimumGeneration, for: context)
        if let start { recordWait(since: start, request, context) }
    }
}

extension AttemptEngine: Redacted {}

extension AttemptEngine: ClientCertificateShowing {
    /// Whether its transport does.
    public var showsClientCertificate: Bool {
        (transport as? any ClientCertificateShowing)?.showsClientCertificate ?? false
    }
}
