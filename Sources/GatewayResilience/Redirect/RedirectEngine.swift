public import GatewayCore

/// Follows redirects (RFC 9110 §15.4): each hop passes all layers below with its own origin, credential and limits.
///
/// - 307 and 308 repeat the request; 303, and 301 and 302 after a `POST`, go on as `GET` without content, as every
///   browser and client does.
/// - To another scheme, host or port only the policy's fields go along, and no credential. Once a call has left its
///   origin it carries no credential any more, even if it is sent back: whoever sent it there chose the path.
/// - To `http` at a host that wants `https` alone goes to `https`, where a store knows such hosts (RFC 6797 §8.3).
/// - From `https` to `http`, and to any scheme but these two, nothing is followed: ``NetworkError/redirectRefused``.
/// - A 307 or 308 whose body cannot be sent again, and a 3xx without `Location`, are returned as they are.
public struct RedirectEngine<Below: RequestEngine>: RequestEngine {
    private let below: Below
    private let policy: RedirectPolicy
    private let strictTransport: HSTSPolicyStore?

    /// Puts redirects over an engine.
    ///
    /// - Parameters:
    ///   - below: makes each hop.
    ///   - policy: which redirects are followed.
    ///   - strictTransport: the hosts that are called over TLS alone, if any are known.
    public init(
        below: Below, policy: RedirectPolicy = RedirectPolicy(),
        strictTransport: HSTSPolicyStore? = nil
    ) {
        self.below = below
        self.policy = policy
        self.strictTransport = strictTransport
    }

    /// The clock of the engine below.
    public var clock: any GatewayClock { below.clock }

    /// Makes the call, wherever it leads.
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

    /// A function of its own: what it needs room for, no call should carry that is not redirected.
    @inline(never)
    private func follow(
        _ redirect: HTTPResponse, from request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var (request, context, response) = (request, context, redirect)
        var hops = 0
        while Self.isRedirect(response.status), let location = response.fields[.location],
            let next = try hop(from: request, response: response, location: location)
        {
            hops += 1
            let sent = response.exchange.attempts
            guard hops <= policy.maximumHops else {
                throw NetworkError(
                    .redirectRefused, "The call was redirected more than \(policy.maximumHops) times.",
                    origin: request.origin, status: response.status, attempts: sent, mayHaveBeenSent: true)
            }
            context.record(.redirected(status: response.status, to: next.origin), for: request)
            if next.origin != request.origin { context.credentials = nil }
            request = next
            response.body.discard()
            do {
                response = try await below.send(request, context: context)
                response.exchange.attempts = sent.addingClamped(response.exchange.attempts)
            } catch {
                throw error.with(attempts: sent.addingClamped(error.attempts))
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

    /// The next request; `nil` where the response is to be returned as it is.
    private func hop(
        from request: HTTPRequest, response: HTTPResponse, location: String
    ) throws(NetworkError) -> HTTPRequest? {
        let keepsMethod = response.status == 307 || response.status == 308
        if keepsMethod, !request.body.isReplayable { return nil }
        func refused(_ reason: String, _ cause: NetworkError? = nil) -> NetworkError {
            NetworkError(
                .redirectRefused, reason, origin: request.origin, status: response.status,
                attempts: response.exchange.attempts, mayHaveBeenSent: true, underlying: cause)
        }
        let url: ParsedURL
        do {
            url = try ParsedURL(origin: request.origin, target: request.target).resolving(location)
        } catch {
            throw refused("The redirect leads to what is no http or https URL: \(error.message)", error)
        }
        let origin = strictTransport?.upgraded(url.origin) ?? url.origin
        guard !(request.origin.scheme == .https && origin.scheme == .http) else {
            throw refused("The redirect leads from https to http.")
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

/// What describes content that a `GET` does not have.
private let contentFields: [HTTPField.Name] = [
    .contentType, "Content-Encoding", "Content-Language", "Content-Location", .idempotencyKey,
]
