public import GatewayCore

/// Finds an authorization server's endpoints by its name (RFC 8414, OpenID Connect Discovery 1.0).
///
/// ```swift
/// let discovery = try AuthorizationServerDiscovery(
///     issuer: "https://login.example.com/tenant", transport: tokenTransport)
/// let endpoint = try TokenEndpoint(
///     try await discovery.metadata(), client: client, transport: tokenTransport)
/// ```
/// A transport makes exactly one exchange: no redirect is followed, and no credential is sent.
public final class AuthorizationServerDiscovery: Sendable {
    /// Where the metadata stands.
    public enum Convention: Sendable {
        /// `/.well-known/oauth-authorization-server` before the issuer's path (RFC 8414 §3.1).
        case oauth
        /// `/.well-known/openid-configuration` after it (OpenID Connect Discovery 1.0 §4.1).
        case openID
    }

    private struct Cached {
        let metadata: AuthorizationServerMetadata
        let end: ContinuousClock.Instant
    }

    /// Metadata is some kilobytes; whatever is larger is none.
    private static let maximumBytes = 256 << 10
    /// How long a request may take.
    private static let patience: Duration = .seconds(30)

    /// The server's name.
    public let issuer: String
    private let place: ParsedURL
    private let allowed: Set<Origin>
    private let transport: any Transport
    private let lifetime: Duration
    private let clock: any GatewayClock
    private let cached = Locked<Cached?>(nil)

    /// Names a server. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - issuer: the server's name: `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`), without query
    ///     and fragment (RFC 8414 §2).
    ///   - convention: where the metadata stands.
    ///   - allowed: at which origins beside the issuer's own its endpoints may lie.
    ///   - transport: makes the exchanges.
    ///   - lifetime: how long the metadata is used. An hour: endpoints move seldom.
    ///   - clock: where time comes from.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        issuer: String, convention: Convention = .oauth, allowing allowed: Set<Origin> = [],
        transport: any Transport, lifetime: Duration = .seconds(3600),
        clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) {
        let parsed = try ParsedURL(issuer)
        try parsed.origin.refuseInsecureEndpoint("An issuer's metadata is fetched")
        guard !issuer.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw NetworkError(.invalidURL, "An issuer has neither query nor fragment.")
        }
        var path = Substring(parsed.target)
        while path.last == "/" { path.removeLast() }
        let target =
            switch convention {
            case .oauth: "/.well-known/oauth-authorization-server" + path
            case .openID: String(path) + "/.well-known/openid-configuration"
            }
        place = ParsedURL(origin: parsed.origin, target: target)
        self.issuer = issuer
        self.allowed = allowed
        self.transport = transport
        self.lifetime = lifetime
        self.clock = clock
    }

    /// The metadata: fetched where it is not at hand, or too old. While the server is down what is too old is not used.
    ///
    /// - Parameter deadline: when the answer must be there; `nil` for half a minute.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable` where it cannot be had just now, or
    ///   `tokenResponseMalformed` for what is none of this issuer's.
    public func metadata(deadline: Deadline? = nil) async throws(NetworkError) -> AuthorizationServerMetadata
    {
        let now = clock.now
        if let cached = cached.withLock(\.self), now < cached.end { return cached.metadata }
        let metadata = try await fetch(deadline)
        cached.withLock { $0 = Cached(metadata: metadata, end: now + lifetime) }
        return metadata
    }

    private func fetch(_ deadline: Deadline?) async throws(NetworkError) -> AuthorizationServerMetadata {
        let request = HTTPRequest(
            method: .get, origin: place.origin, target: place.target, fields: [.accept: "application/json"])
        let limit = Deadline(clock.now + Self.patience)
        var context = RequestContext(operation: "discovery", clock: clock)
            .limited(to: deadline.map { min($0, limit) } ?? limit)
        context.response = .collect(upToBytes: Self.maximumBytes)
        let response: HTTPResponse
        let body: [UInt8]
        do throws(NetworkError) {
            response = try await transport.send(request, context: context)
            body = try await response.body.collect(upToBytes: Self.maximumBytes)
        } catch {
            throw NetworkError(
                .tokenUnavailable, "The issuer's metadata could not be fetched (\(error.code)).",
                origin: place.origin, phase: error.phase, retryAfter: error.retryAfter, underlying: error)
        }
        guard response.status == 200, response.exchange.origin == place.origin else {
            throw NetworkError(
                .tokenUnavailable, "The issuer answered \(response.status) in place of its metadata.",
                origin: place.origin,
                retryAfter: response.fields[.retryAfter].flatMap {
                    RetryAfter.parse($0, unixTime: clock.unixTime)
                }, status: response.status)
        }
        return try AuthorizationServerMetadata(
            body, issuer: issuer, origin: place.origin, allowing: allowed)
    }
}
