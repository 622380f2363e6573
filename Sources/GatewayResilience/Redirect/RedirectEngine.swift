public import GatewayCore

/// Follows redirects (RFC 9110 §15.4). Each hop passes all layers below with its own origin, credential and limits.
///
/// - 307 and 308 repeat the request. 303, and 301 and 302 after a `POST`, continue as `GET` without content,
///   as in browsers.
/// - A hop to another scheme, host or port carries only the policy's fields, no credential and no baggage. Further
///   hops carry none either, even if they return to the first origin, because the other server chose the
///   target.
/// - A redirect to `http` at a known HSTS host goes to `https` (RFC 6797 §8.3).
/// - A redirect from `https` to `http`, to any other scheme, or with several different `Location` fields
///   fails with ``NetworkError/redirectRefused``.
/// - A 307 or 308 whose body cannot be sent again, and a 3xx without `Location`, are returned unchanged.
public struct RedirectEngine<Below: RequestEngine>: RequestEngine {
    private let below: Below
    private let policy: RedirectPolicy
    private let strictTransport: HSTSPolicyStore?

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes each hop.
    ///   - policy: which redirects are followed.
    ///   - strictTransport: the known HSTS hosts; `nil` disables HSTS for redirects.
    public init(
        below: Below, policy: RedirectPolicy = RedirectPolicy(),
        strictTransport: HSTSPolicyStore? = nil
    ) {
        self.below = below
        self.policy = policy
        self.strictTransport = strictTransport
    }

    /// The services of the engine below.
    public var services: EngineServices { below.services }

    /// Makes the call and follows its redirects.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let response = try await below.send(request, context: context)
        guard Self.isRedirect(response.status), policy.maximumHops > 0, context.followsRedirects else {
            return response
        }
        return try await follow(response, from: request, context: context)
    }

    /// Out of line, to keep the async frame of calls without redirects small.
    @inline(never)
    private func follow(
        _ redirect: HTTPResponse, from request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var (request, context, response) = (request, context, redirect)
        var hops = 0
        while Self.isRedirect(response.status), let next = try hop(from: request, by: response) {
            hops += 1
            let sent = response.exchange.attempts
            guard hops <= policy.maximumHops else {
                throw NetworkError(
                    .redirectRefused,
                    "More than \(policy.maximumHops) redirects (maximumHops); the next one leads to \(next.origin).",
                    origin: request.origin, status: response.status, attempts: sent, mayHaveBeenSent: true)
            }
            context.record(
                .redirected(status: response.status, to: next.origin), for: request, answer: response.fields)
            if next.origin != request.origin {
                context.credentials = nil
                if !context.baggage.isEmpty { context.baggage = Baggage() }
            }
            let number = response.exchange.attemptNumber ?? context.attempt.number
            context.attempt = AttemptInfo(number: number.addingClamped(1), reason: .redirect)
            request = next
            response.body.discard()
            do {
                response = try await below.send(request, context: context)
                response.exchange.attempts = sent.addingClamped(response.exchange.attempts)
                if response.exchange.attemptNumber == nil {
                    response.exchange.attemptNumber = context.attempt.number
                }
            } catch {
                // The server that redirected the call has received it.
                throw error.with(attempts: sent.addingClamped(error.attempts), mayHaveBeenSent: true)
            }
        }
        return response
    }

    private static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The next request; `nil` if the response is to be returned unchanged.
    private func hop(
        from request: HTTPRequest, by response: HTTPResponse
    ) throws(NetworkError) -> HTTPRequest? {
        let keepsMethod = response.status == 307 || response.status == 308
        let location = response.fields.occurrence(of: .location)
        if case .absent = location { return nil }
        if keepsMethod, !request.body.isReplayable { return nil }
        func refused(_ reason: String, _ cause: NetworkError? = nil) -> NetworkError {
            NetworkError(
                .redirectRefused, reason, origin: request.origin, status: response.status,
                attempts: response.exchange.attempts, mayHaveBeenSent: true, underlying: cause)
        }
        guard case .line(let field) = location else {
            throw refused(
                "The \(response.status) response has several Location fields, which differ; none is followed."
            )
        }
        let url: ParsedURL
        do {
            url = try ParsedURL(origin: request.origin, target: request.target).resolving(field.reference)
        } catch {
            throw refused(
                "The Location of the \(response.status) response is not a valid http or https URL: \(error.message)",
                error)
        }
        let origin = strictTransport?.upgraded(url.origin) ?? url.origin
        guard !(request.origin.scheme == .https && origin.scheme == .http) else {
            throw refused(
                "The \(response.status) response redirects from https to \(origin), which is not followed: the request "
                    + "would leave TLS.")
        }
        var next = request
        next.origin = origin
        next.target = url.target
        if origin != request.origin {
            next.fields = HTTPFields()
            for field in request.fields where policy.crossOriginFields.contains(field.name) {
                next.fields.append(field)
            }
        }
        let becomesGet =
            response.status == 303
            ? request.method != .head && request.method != .get
            : !keepsMethod && request.method == .post
        if becomesGet {
            next.method = .get
            next.body = .empty
            for name in contentFields { next.fields.remove(name) }
        }
        return next
    }
}

/// The fields that describe content, which a `GET` does not have.
private let contentFields: [HTTPField.Name] = [
    .contentType, "Content-Encoding", "Content-Language", "Content-Location", .idempotencyKey,
]
