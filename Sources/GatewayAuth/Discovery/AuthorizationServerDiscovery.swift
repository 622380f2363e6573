public import GatewayCore
import GatewayJSON

/// Discovers the endpoints of an authorization server by its issuer identifier (RFC 8414, OpenID Connect Discovery 1.0).
///
/// ```swift
/// let discovery = try AuthorizationServerDiscovery(
///     issuer: "https://login.example.com/tenant", transport: tokenTransport)
/// let endpoint = try TokenEndpoint(
///     try await discovery.metadata(), client: client, transport: tokenTransport)
/// ```
/// Concurrent callers share one request, which goes on when a caller is cancelled. No redirect is followed, and no
/// credential is sent.
public final class AuthorizationServerDiscovery: Sendable {
    /// Where the metadata is published.
    public enum Convention: Sendable {
        /// `/.well-known/oauth-authorization-server` before the issuer's path (RFC 8414 §3.1).
        case oauth
        /// `/.well-known/openid-configuration` after it (OpenID Connect Discovery 1.0 §4.1).
        case openID
    }

    private typealias Landing = Result<AuthorizationServerMetadata, NetworkError>
    private typealias Flight = SharedFlight<Landing>

    private struct State {
        /// The last metadata.
        var metadata: AuthorizationServerMetadata?
        /// Until then the metadata is used.
        var end: ContinuousClock.Instant?
        /// The request in progress.
        var flight: Flight?
    }

    private enum Answer {
        case metadata(AuthorizationServerMetadata)
        case wait(Flight, Flight.WaiterID, isNew: Bool)
    }

    /// The maximum size of the metadata.
    private static let maximumBytes = 256 << 10
    /// How long a request may take.
    private static let patience: Duration = .seconds(30)

    /// The issuer identifier.
    public let issuer: String
    /// The issuers that the metadata may name.
    private let names: [String]
    private let place: ParsedURL
    private let convention: Convention
    private let allowed: Set<Origin>
    private let plainHTTP: PlainHTTPHosts
    private let transport: any Transport
    private let lifetime: Duration
    private let clock: any GatewayClock
    private let state = Locked(State())

    /// The number of callers that wait for a request.
    var waiterCount: Int { state.withLock { $0.flight?.waiterCount ?? 0 } }

    /// Creates a discovery. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - issuer: the issuer identifier: `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`), without query
    ///     and fragment (RFC 8414 §2).
    ///   - convention: where the metadata is published.
    ///   - allowed: the origins that its endpoints may have, besides the issuer's own.
    ///   - ignoresTrailingSlash: whether the issuer in the metadata may differ by a slash at its end. RFC 8414 §3.3 requires
    ///     the same bytes, which is the default.
    ///   - transport: makes the exchanges.
    ///   - lifetime: how long the metadata is used. An hour by default: endpoints rarely change.
    ///   - clock: the source of time.
    ///   - plainHTTP: the hosts that are called over plain HTTP, for the issuer and its endpoints; only those that it names
    ///     in full.
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

    /// The metadata: fetched if there is none yet or it has expired. Expired metadata is not used while the server is down.
    ///
    /// - Parameter deadline: when the response must be there; `nil` for the limit of a request, 30 seconds.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable` while the server is unavailable,
    ///   `credentialMisconfigured` where it has no metadata, that of another issuer or too much of it, `tokenResponseMalformed` for
    ///   anything that is not metadata, or `cancelled`.
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

    /// Makes a request in a task of its own, which no caller can cancel.
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

    /// The error for a response with another status. No secret was sent.
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
