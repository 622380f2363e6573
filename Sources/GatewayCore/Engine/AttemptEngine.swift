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
    private let instrument: (any AttemptInstrument)?
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
        isPlain = admission == nil && instrument == nil
    }

    // Inlinable, so that the layers above and this one have one async frame.
    /// Makes one attempt.
    @inlinable
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard isPlain, Self.isOrdinary(context) else { return try await attempt(request, context: context) }
        var course: Course?
        while true {
            guard let attempt = try Self.stamped(request, context, course) else {
                course = try await Self.wait(request, context, course)
                continue
            }
            do {
                var response = try await transport.send(attempt.request, context: context)
                if attempt.stamp != nil { Self.note(&response, attempt, context) }
                return response
            } catch {
                course = try Self.returned(error, attempt, course)
            }
        }
    }

    /// A request as it is sent.
    @usableFromInline
    struct Attempt {
        @usableFromInline let request: HTTPRequest
        @usableFromInline let stamp: CredentialStamp?
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

    /// Whether nothing observes or traces the attempt, and it may be sent.
    @usableFromInline
    @inline(never)
    static func isOrdinary(_ context: RequestContext) -> Bool {
        context.trace == nil && !context.isObserved(as: .attempts) && context.cache != .onlyIfCached
    }

    /// The request with its credential; `nil` if that is not ready.
    ///
    /// - Parameter isReady: whether somebody has waited for the credential, although there is no course.
    @usableFromInline
    @inline(never)
    static func stamped(
        _ request: HTTPRequest, _ context: RequestContext, _ course: Course?, isReady: Bool = false
    ) throws(NetworkError) -> Attempt? {
        guard let credentials = context.credentials else { return Attempt(request: request, stamp: nil) }
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
        return Attempt(request: stamped, stamp: stamp)
    }

    /// Waits until the credential is ready.
    @usableFromInline
    @inline(never)
    static func wait(
        _ request: HTTPRequest, _ context: RequestContext, _ known: Course?
    ) async throws(NetworkError) -> Course {
        let course = known ?? Course()
        course.misses += 1
        guard course.misses < misses else {
            throw NetworkError(
                .tokenUnavailable,
                "Each new token expired before a request could be sent with it: check the tokens' lifetime and the clock.",
                origin: request.origin)
        }
        try await ready(request, context)
        course.isReady = true
        return course
    }

    /// Takes note of a request that was given back; throws every other error.
    @usableFromInline
    @inline(never)
    static func returned(
        _ error: NetworkError, _ attempt: Attempt, _ known: Course?
    ) throws(NetworkError) -> Course {
        guard error.code == .credentialStale else { throw error }
        let course = known ?? Course()
        course.waited = error.waited ?? course.waited ?? .zero
        course.latest = attempt.stamp
        course.isReady = false
        course.misses = 0
        course.returns += 1
        return course
    }

    @usableFromInline
    @inline(never)
    static func note(
        _ response: inout HTTPResponse, _ attempt: Attempt, _ context: RequestContext
    ) {
        response.set(attempt.stamp)
        context.credentials?.note(response, to: attempt.request)
    }

    // MARK: Attempts that are observed, traced or admitted

    @usableFromInline
    @inline(never)
    func attempt(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var course: Course?
        // Most attempts are admitted at once: one async frame.
        if let admission, instrument == nil, Self.isOrdinary(context), Self.isReady(context),
            let permit = try admission.enterNow(request, context: context),
            let attempt = try Self.stamped(request, context, course, for: permit)
        {
            do {
                let response = try await transport.send(attempt.request, context: context)
                return Self.received(response, attempt, permit, context)
            } catch {
                course = try Self.failed(error, attempt, permit, course)
            }
        }
        guard context.isObserved(as: .attempts) else { return try await exchange(request, context, course) }
        context.record(.attemptStarted, for: request, as: .attempts)
        do {
            let response = try await exchange(request, context, course)
            context.record(.attemptEnded(AttemptEnd(response)), for: request, as: .attempts)
            return response
        } catch {
            context.record(.attemptEnded(AttemptEnd(error)), for: request, as: .attempts)
            throw error
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ context: RequestContext, _ known: Course?
    ) async throws(NetworkError) -> HTTPResponse {
        guard context.cache != .onlyIfCached else {
            throw NetworkError(
                .notCached, "The call may use only a stored response, and there is none.",
                origin: request.origin)
        }
        var course = known
        while true {
            // The admission control is entered with a credential at hand: the wait for one takes no permit.
            if course?.isReady != true { try await Self.ready(request, context) }
            let permit = try await admission?.enter(request, context: context)
            guard let attempt = try Self.stamped(request, context, course, for: permit) else {
                course = try await Self.wait(request, context, course)
                continue
            }
            do {
                return try await send(attempt, permit, context)
            } catch {
                course = try Self.failed(error, attempt, permit, course)
            }
        }
    }

    private func send(
        _ attempt: Attempt, _ permit: (any AdmissionPermit)?, _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let instrument: (any AttemptInstrument)? =
            instrument ?? (context.trace == nil ? nil : TracePropagation())
        var request = attempt.request
        let token = instrument?.willSend(&request, context: context)
        let response: HTTPResponse
        do {
            response = try await transport.send(request, context: context)
        } catch {
            if let token { instrument?.didEnd(token, AttemptEnd(error), context: context) }
            throw error
        }
        if let token { instrument?.didEnd(token, AttemptEnd(response), context: context) }
        return Self.received(response, attempt, permit, context)
    }

    /// The request with its credential, which somebody has waited for; `nil` if that is gone. The permit is ended unless
    /// there is a request.
    private static func stamped(
        _ request: HTTPRequest, _ context: RequestContext, _ course: Course?,
        for permit: (any AdmissionPermit)?
    ) throws(NetworkError) -> Attempt? {
        do {
            let attempt = try stamped(request, context, course, isReady: true)
            if attempt == nil { permit?.end(.notSent) }
            return attempt
        } catch {
            permit?.end(.failed(error))
            throw error
        }
    }

    /// Notes a response. The permit is ended, or will be with the body.
    private static func received(
        _ response: HTTPResponse, _ attempt: Attempt, _ permit: (any AdmissionPermit)?,
        _ context: RequestContext
    ) -> HTTPResponse {
        var response = response
        if attempt.stamp != nil { note(&response, attempt, context) }
        guard let permit else { return response }
        if !response.isStreamed {
            permit.end(.response(status: response.status))
        } else if let rest = permit.responded(status: response.status) {
            response.body = response.body.ending(rest, status: response.status)
        }
        return response
    }

    /// Ends the permit, and takes note of a request that was given back; throws every other error.
    private static func failed(
        _ error: NetworkError, _ attempt: Attempt, _ permit: (any AdmissionPermit)?, _ course: Course?
    ) throws(NetworkError) -> Course {
        permit?.end(error.code == .credentialStale ? .notSent : .failed(error))
        return try returned(error, attempt, course)
    }

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
        if let start {
            context.record(.credentialWaited(start.duration(to: context.clock.now)), for: request)
        }
    }
}

extension AttemptEngine: Redacted {}

extension NetworkError.Code {
    /// The credential was replaced before the request was sent: while it was stamped, or while the transport had no
    /// connection for it. It never leaves ``AttemptEngine``.
    package static let credentialStale = Self("credential_stale", category: .authentication)
}
