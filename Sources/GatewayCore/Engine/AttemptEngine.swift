/// Makes one attempt of a call: waits until the credential is ready, enters the admission control, stamps the request, and
/// passes it to the transport.
///
/// It is the innermost engine. An attempt whose credential is replaced between these steps begins again; that is not an
/// attempt of the call, and the admission control does not count it.
public struct AttemptEngine: RequestEngine {
    /// How often a credential may be gone between being ready and being stamped.
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
        if isPlain, let attempt = try Self.stampedAtOnce(request, context) {
            do {
                var response = try await transport.send(attempt.request, context: context)
                if attempt.stamp != nil { Self.note(&response, attempt, context) }
                return response
            } catch {
                guard Self.isStale(error) else { throw error }
                return try await self.attempt(request, context: context, returned: error)
            }
        }
        return try await attempt(request, context: context, returned: nil)
    }

    /// A request as it is sent.
    @usableFromInline
    struct Attempt {
        @usableFromInline let request: HTTPRequest
        @usableFromInline let stamp: CredentialStamp?
    }

    // Out of line, to keep the async frame small.

    /// The request with its credential, if that is ready and the attempt is not observed.
    @usableFromInline
    @inline(never)
    static func stampedAtOnce(
        _ request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> Attempt? {
        guard !context.isObserved(as: .attempts), context.trace == nil else { return nil }
        guard let credentials = context.credentials else { return Attempt(request: request, stamp: nil) }
        guard credentials.isReady(atLeast: context.minimumGeneration) else { return nil }
        return try stamped(request, context, waited: nil, isLast: false)
    }

    @usableFromInline
    static func isStale(_ error: NetworkError) -> Bool { error.code == .credentialStale }

    /// The request with its credential; `nil` if there is none of the generation.
    private static func stamped(
        _ request: HTTPRequest, _ context: RequestContext, waited: Duration?, isLast: Bool
    ) throws(NetworkError) -> Attempt? {
        guard let credentials = context.credentials else { return Attempt(request: request, stamp: nil) }
        var stamped = request
        guard let stamp = try credentials.stamp(&stamped, atLeast: context.minimumGeneration) else {
            return nil
        }
        stamped.set(Handover(stamp: stamp, waited: waited, isLast: isLast))
        return Attempt(request: stamped, stamp: stamp)
    }

    @usableFromInline
    @inline(never)
    static func note(
        _ response: inout HTTPResponse, _ attempt: Attempt, _ context: RequestContext
    ) {
        response.exchange.stamp = attempt.stamp
        context.credentials?.note(response, to: attempt.request)
    }

    @usableFromInline
    @inline(never)
    func attempt(
        _ request: HTTPRequest, context: RequestContext, returned: NetworkError?
    ) async throws(NetworkError) -> HTTPResponse {
        guard context.isObserved(as: .attempts) else {
            return try await exchange(request, context, returned: returned)
        }
        context.record(.attemptStarted, for: request, as: .attempts)
        do {
            let response = try await exchange(request, context, returned: returned)
            context.record(.attemptEnded(.response(status: response.status)), for: request, as: .attempts)
            return response
        } catch {
            context.record(.attemptEnded(AttemptEnd(error)), for: request, as: .attempts)
            throw error
        }
    }

    /// - Parameter returned: the error of a request that was stamped and given back before.
    private func exchange(
        _ request: HTTPRequest, _ context: RequestContext, returned: NetworkError?
    ) async throws(NetworkError) -> HTTPResponse {
        var waited = returned.map { $0.waited ?? .zero }
        var latest: CredentialStamp?
        var (misses, returns) = (0, returned == nil ? 0 : 1)
        while misses < Self.misses {
            if let credentials = context.credentials { try await wait(for: credentials, request, context) }
            let permit = try await admission?.enter(request, context: context)
            do {
                guard
                    let attempt = try Self.stamped(
                        request, context, waited: waited, isLast: returns >= Self.returns)
                else {
                    permit?.end(.notSent)
                    misses += 1
                    continue
                }
                // Each new credential is a new chance, within the limits of the attempt and the call.
                if attempt.stamp != latest, latest != nil { returns = 0 }
                latest = attempt.stamp
                return try await send(attempt, permit, context)
            } catch {
                permit?.end(Self.isStale(error) ? .notSent : .failed(error))
                guard Self.isStale(error) else { throw error }
                waited = error.waited ?? waited ?? .zero
                (misses, returns) = (0, returns + 1)
            }
        }
        throw NetworkError(
            .tokenUnavailable,
            "Each new token expired before a request could be sent with it: check the tokens' lifetime and the clock.",
            origin: request.origin)
    }

    private func send(
        _ attempt: Attempt, _ permit: (any AdmissionPermit)?, _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let instrument: (any AttemptInstrument)? =
            instrument ?? (context.trace == nil ? nil : TracePropagation())
        var request = attempt.request
        let token = instrument?.willSend(&request, context: context)
        var response: HTTPResponse
        do {
            response = try await transport.send(request, context: context)
        } catch {
            if let token {
                instrument?.didEnd(token, .error(error.code, phase: error.phase), context: context)
            }
            throw error
        }
        if let token { instrument?.didEnd(token, .response(status: response.status), context: context) }
        if attempt.stamp != nil { Self.note(&response, attempt, context) }
        if let permit { response.body = response.body.ending(permit, status: response.status) }
        return response
    }

    private func wait(
        for credentials: any CredentialSource, _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) {
        if credentials.isReady(atLeast: context.minimumGeneration) { return }
        let start = context.events == nil ? nil : context.clock.now
        try await credentials.ready(atLeast: context.minimumGeneration, deadline: context.deadline)
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
