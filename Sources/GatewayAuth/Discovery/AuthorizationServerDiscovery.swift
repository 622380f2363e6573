public import GatewayCore
import GatewayJSON

/// Discovers the endpoints of an authorization server from its issuer identifier (RFC 8414, OpenID Connect Discovery
/// 1.0).
///
/// ```swift
/// let discovery = try AuthorizationServerDiscovery(
///     issuer: "https://login.example.com/tenant", transport: tokenTransport)
/// let endpoint = try TokenEndpoint(
///     try await discovery.metadata(), client: client, transport: tokenTransport)
/// ```
/// Concurrent callers share one request, which continues if a caller is cancelled. Redirects are not followed, and no
/// credentials are sent.
public final class AuthorizationServerDiscovery: Sendable {
    /// The location of the metadata.
    public enum Convention: Sendable {
        /// `/.well-known/oauth-authorization-server` is inserted before the issuer's path (RFC 8414 §3.1).
        case oauth
        /// `/.well-known/openid-configuration` is appended to the issuer's path (OpenID Connect Discovery 1.0 §4.1).
        case openID
    }

    private typealias Landing = Result<AuthorizationServerMetadata, NetworkError>
    private typealias Flight = SharedFlight<Landing>

    private struct State {
        /// The last metadata.
        var metadata: AuthorizationServerMetadata?
        /// When the metadata expires.
        var end: ContinuousClock.Instant?
        /// The request in progress.
        var flight: Flight?
    }

    private enum Answer {
        case metadata(AuthorizationServerMetadata)
        case wait(Flight, Flight.WaiterID, isNew: Bool)
    }

    /// The maximum size of the metadata, in bytes.
    private static let maximumBytes = 256 << 10
    /// The time limit of a request.
    private static let patience: Duration = .seconds(30)

    /// The issuer identifier.
    public let issuer: String
    /// The issuer identifiers that are accepted in the metadata.
    private let names: [String]
    private let place: ParsedURL
    private let convention: Convention
    private let allowed: Set<Origin>
    private let plainHTTP: PlainHTTPHosts
    private let transport: any Transport
    private let lifetime: Duration
    private let clock: any GatewayClock
    private let state = Locked(State())

    /// The number of callers that are waiting for a request.
    var waiterCount: Int { state.withLock { $0.flight?.waiterCount ?? 0 } }

    /// Creates a discovery. The metadata is fetched when it is first needed.
    ///
    /// - Parameters:
    ///   - issuer: the issuer identifier: an `https` URL, or `http` with a loopback address (127.0.0.0/8, `[::1]`),
    ///     without query and fragment (RFC 8414 §2).
    ///   - convention: the location of the metadata.
    ///   - allowed: additional origins that its endpoints may have.
    ///   - ignoresTrailingSlash: whether the issuer in the metadata may differ by a trailing slash. Default: `false`,
    ///     because RFC 8414 §3.3 requires identical strings.
    ///   - transport: the transport for the requests.
    ///   - lifetime: how long the metadata is used. Default: 1 h, because endpoints rarely change.
    ///   - clock: the source of time.
    ///   - plainHTTP: the hosts that may be called over plain HTTP, for the issuer and its endpoints. Only complete
    ///     host names are used.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        issuer: String, convention: Convention = .oauth, allowing allowed: Set<Origin> = [],
        ignoresTrailingSlash: Bool = false, transport: any Transport, lifetime: Duration = .seconds(3600),
        clock: any GatewayClock = SystemClock(), plainHTTP: PlainHTTPHosts = .none
    ) throws(NetworkError) {
        let parsed = try ParsedURL(issuer)
        try parsed.origin.refuseInsecureEndpoint("An issuer", allowing: plainHTTP)
        guard !issuer.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw NetworkError(.invalidURL, "An issuer must not have a query or a fragment.")
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
        self.convention = convention
        let other = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer + "/"
        names = ignoresTrailingSlash ? [issuer, other] : [issuer]
        self.allowed = allowed
        self.plainHTTP = plainHTTP
        self.transport = transport
        self.lifetime = lifetime
        self.clock = clock
    }

    /// The metadata. It is fetched if it is missing or expired. Expired metadata is never used, even if the server is
    /// unavailable.
    ///
    /// - Parameter deadline: when to stop waiting; `nil` for the time limit of a request, 30 s.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable` if the server is unavailable,
    ///   `credentialMisconfigured` if it has no metadata, metadata of another issuer, or metadata that is too large,
    ///   `tokenResponseMalformed` if the response is not metadata, or `cancelled`.
    public func metadata(deadline: Deadline? = nil) async throws(NetworkError) -> AuthorizationServerMetadata
    {
        let now = clock.now
        switch state.withLock({ ask(&$0, deadline, now) }) {
        case .metadata(let metadata): return metadata
        case .wait(let flight, let waiter, let isNew):
            if isNew { launch(flight, sent: now) }
            switch await flight.outcome(of: waiter) {
            case .value(let landing): return try landing.get()
            case .cancelled:
                throw NetworkError(.cancelled, "The task was cancelled.", origin: place.origin)
            case .expired: throw late
            }
        }
    }

    private var late: NetworkError {
        NetworkError(
            .tokenUnavailable, .unavailable,
            "The token service is unavailable: the issuer's metadata did not arrive in time.",
            origin: place.origin)
    }

    private func ask(_ state: inout State, _ deadline: Deadline?, _ now: ContinuousClock.Instant) -> Answer {
        if let metadata = state.metadata, let end = state.end, now < end { return .metadata(metadata) }
        let flight = state.flight ?? Flight(clock: clock, limit: Deadline(now + Self.patience))
        defer { state.flight = flight }
        return .wait(flight, flight.join(until: deadline), isNew: state.flight == nil)
    }

    /// Makes a request in a separate task, which a caller cannot cancel.
    private func launch(_ flight: Flight, sent: ContinuousClock.Instant) {
        let deadline = Deadline(sent + Self.patience)
        flight.launch(until: deadline) { [self] in
            do throws(NetworkError) {
                land(flight, .success(try await fetch(deadline)), sent)
            } catch { land(flight, .failure(error), sent) }
        } orLate: { [self] in
            land(flight, .failure(late), sent)
        }
    }

    private func land(_ flight: Flight, _ landing: Landing, _ sent: ContinuousClock.Instant) {
        let isCurrent = state.withLock { state in
            guard state.flight == flight else { return false }
            state.flight = nil
            if case .success(let metadata) = landing {
                (state.metadata, state.end) = (metadata, sent.adding(lifetime))
            }
            return true
        }
        if isCurrent { flight.land(landing) }
    }

    private func fetch(_ deadline: Deadline) async throws(NetworkError) -> AuthorizationServerMetadata {
        let request = HTTPRequest(
            method: .get, origin: place.origin, target: place.target, fields: [.accept: "application/json"])
        let answer: SmallAnswer
        do throws(NetworkError) {
            answer = try await transport.smallAnswer(
                to: request, "discovery", upToBytes: Self.maximumBytes, by: deadline, clock: clock)
        } catch {
            guard error.code != .responseTooLarge else {
                throw NetworkError(
                    .credentialMisconfigured,
                    "The issuer's metadata is larger than \(Self.maximumBytes) bytes. Check `issuer`, or configure the "
                        + "endpoints' URLs.", origin: place.origin, underlying: error)
            }
            throw NetworkError(
                .tokenUnavailable,
                "The token service is unavailable: the issuer's metadata could not be fetched (\(error.code)).",
                origin: place.origin, phase: error.phase, retryAfter: error.retryAfter, underlying: error)
        }
        guard answer.origin == place.origin else {
            throw NetworkError(
                .tokenResponseMalformed, .notAnOAuthResponse(nil),
                "The issuer's metadata came from \(answer.origin): redirects must not be followed there.",
                origin: place.origin, status: answer.status)
        }
        guard answer.status == 200 else { throw refusal(answer) }
        return try AuthorizationServerMetadata(
            answer.body, issuers: names, origin: place.origin, allowing: allowed, plainHTTP: plainHTTP)
    }

    /// The error for a response with another status. The request contained no secret that the response could repeat.
    private func refusal(_ answer: SmallAnswer) -> NetworkError {
        let limits = JSONLimits(depth: 16, bytes: answer.body.count)
        let body = try? JSONValue(jsonBytes: answer.body, limits: limits)
        let statement = ServerStatement(
            error: body?["error"]?.string, description: body?["error_description"]?.string, secrets: [])
        let status = statement.text.map { "\(answer.status), \($0)" } ?? "\(answer.status)"
        switch answer.status {
        case 408, 425, 429, 500...599:
            return NetworkError(
                .tokenUnavailable, .unavailable,
                "The token service is unavailable: the issuer answered \(status) in place of its metadata.",
                origin: place.origin, retryAfter: answer.retryAfter, status: answer.status)
        default:
            return NetworkError(
                .credentialMisconfigured, .metadataNotFound(convention),
                "The issuer has no metadata at \(place.target): it answered \(status).",
                origin: place.origin, retryAfter: answer.retryAfter, status: answer.status)
        }
    }
}
