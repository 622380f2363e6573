extension NetworkError {
    /// The kind of error. Codes may be added: compare with the constants, and handle unknown codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A stable name for logs and metrics.
        public let name: String
        /// The origin of the failure.
        public let category: ErrorCategory
        /// Whether a later attempt may succeed without a change.
        public let isTransient: Bool
        /// The recommended reaction of the caller.
        public let guidance: ErrorGuidance
        /// Whether the client itself refuses to send with this code; see ``GatewayCallError/isLocalRejection``.
        public let isLocalRejection: Bool

        /// Creates a code, for your own layers.
        ///
        /// - Parameters:
        ///   - name: a stable name in lower case with underscores.
        ///   - category: the origin of the failure.
        ///   - isTransient: whether a later attempt may succeed without a change.
        ///   - guidance: the recommended reaction. Default: determined by `category` and `isTransient`.
        ///   - isLocalRejection: whether the client itself refuses to send with this code.
        public init(
            _ name: String, category: ErrorCategory, isTransient: Bool = false,
            guidance: ErrorGuidance? = nil,
            isLocalRejection: Bool = false
        ) {
            self.name = name
            self.category = category
            self.isTransient = isTransient
            self.isLocalRejection = isLocalRejection
            self.guidance = guidance ?? ErrorGuidance(category: category, isTransient: isTransient)
        }

        /// The name.
        public var description: String { name }
        /// Compares the names.
        public static func == (a: Code, b: Code) -> Bool { a.name == b.name }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// Matches any ``GatewayCallError`` by code, as in `catch NetworkError.noConnection`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? any GatewayCallError)?.code == code
        }
    }

    /// A phase of a call.
    public enum Phase: String, Hashable, Sendable {
        /// Waiting for the credential.
        case credential
        /// Waiting in a queue of the client, before anything was sent.
        case queue
        /// Resolving the name.
        case resolve
        /// Connecting.
        case connect
        /// In the TLS handshake.
        case tls
        /// Sending the request.
        case send
        /// Waiting for more of the request body from the program.
        case produce
        /// Waiting for the first byte of the response.
        case firstByte
        /// Reading the response.
        case receive
        /// Waiting until the program reads more of the response.
        case consume
        /// The whole attempt, if the phase is not known. As ``NetworkError/limit``: the time limit of the attempt.
        case attempt
        /// The whole call, including retries and waits. As ``NetworkError/limit``: the deadline of the call.
        case call
    }

    // MARK: Before any I/O

    /// The URL cannot be parsed, or its scheme is not supported.
    public static let invalidURL = Code("invalid_url", category: .permanent, guidance: .correctRequest)
    /// The request contains something that must not be sent.
    public static let invalidRequest = Code(
        "invalid_request", category: .permanent, guidance: .correctRequest)
    /// The call is not possible with this configuration.
    public static let misconfigured = Code("misconfigured", category: .permanent)
    /// The engine was shut down.
    public static let closed = Code("closed", category: .permanent, isLocalRejection: true)
    /// The call may only use a stored response (``CacheMode/onlyIfCached``), and there is none.
    public static let notCached = Code(
        "not_cached", category: .permanent, guidance: .correctRequest, isLocalRejection: true)
    /// The task was cancelled.
    public static let cancelled = Code("cancelled", category: .permanent, guidance: .ignore)

    // MARK: Client and device

    /// There is no network: the host or network is unreachable.
    public static let noConnection = Code("no_connection", category: .device, isTransient: true)
    /// The host name could not be resolved.
    public static let dnsFailure = Code("dns_failure", category: .device, isTransient: true)
    /// The host refused the connection.
    public static let connectionRefused = Code("connection_refused", category: .transient, isTransient: true)
    /// The proxy could not be used.
    public static let proxyFailure = Code("proxy_failure", category: .device, isTransient: true)
    /// The TLS handshake failed, or the certificate is not trusted.
    public static let tlsFailure = Code("tls_failure", category: .device)
    /// The server's key is not one of the pinned keys.
    public static let pinningFailure = Code("pinning_failure", category: .device)

    // MARK: Transient

    /// A time limit was exceeded, other than that of a wait for a connection (``overloaded``). ``NetworkError/limit`` is the
    /// limit, ``NetworkError/phase`` what the call was doing.
    public static let timeout = Code("timeout", category: .transient, isTransient: true)
    /// The connection was reset, closed before the end of the response, or lost.
    public static let connectionLost = Code("connection_lost", category: .transient, isTransient: true)
    /// The response ended before its announced length.
    public static let truncated = Code("truncated", category: .transient, isTransient: true)
    /// The server violated the protocol.
    public static let malformedResponse = Code(
        "malformed_response", category: .transient, isTransient: true, guidance: .report)
    /// The circuit breaker is open because of failures of the server. `retryAfter` is the time until a call is
    /// admitted.
    public static let circuitOpen = Code(
        "circuit_open", category: .transient, isTransient: true, isLocalRejection: true)
    /// A rate limit of the server delays calls, and the delay is too long for this call. `retryAfter` is the delay.
    public static let rateLimited = Code(
        "rate_limited", category: .transient, isTransient: true, isLocalRejection: true)
    /// Too many calls are already waiting, no connection or permit became free in time, or no file descriptor is available.
    public static let overloaded = Code(
        "overloaded", category: .transient, isTransient: true, isLocalRejection: true)

    // MARK: Permanent

    /// The response is larger than its limit.
    public static let responseTooLarge = Code(
        "response_too_large", category: .permanent, guidance: .correctRequest)
    /// The request body could not be produced.
    public static let bodyFailed = Code("body_failed", category: .permanent, guidance: .correctRequest)
    /// The request would have to be sent again, but its body cannot be sent again.
    public static let bodyNotReplayable = Code("body_not_replayable", category: .permanent, guidance: .retry)
    /// A redirect was not followed: from `https` to `http`, to another scheme, or in a loop.
    public static let redirectRefused = Code("redirect_refused", category: .permanent)
    /// The status is not one that the caller accepts; see ``NetworkError/status``.
    public static let unacceptableStatus = Code("unacceptable_status", category: .permanent)
    /// The response could not be decoded.
    public static let decodingFailed = Code("decoding_failed", category: .permanent)
    /// An error without its own code.
    public static let other = Code("other", category: .permanent)

    // MARK: Authentication

    /// No credential is configured for the call.
    public static let credentialMissing = Code(
        "credential_missing", category: .authentication, guidance: .report)
    /// A credential would be sent over plain HTTP to another machine.
    public static let insecureOrigin = Code("insecure_origin", category: .authentication, guidance: .report)
    /// The credentials are no longer accepted: sign in again, or replace them.
    public static let reauthenticationRequired = Code(
        "reauthentication_required", category: .authentication)
    /// The user has to act (device code, consent).
    public static let interactionRequired = Code("interaction_required", category: .authentication)
    /// The configuration of the credential is wrong.
    public static let credentialMisconfigured = Code(
        "credential_misconfigured", category: .authentication, guidance: .report)
    /// The token service is unavailable. The credential remains valid: a later call can get a token without a sign-in.
    public static let tokenUnavailable = Code("token_unavailable", category: .transient, isTransient: true)
    /// The token request was sent and its response was lost. A later call sends a new request.
    public static let tokenOutcomeUnknown = Code(
        "token_outcome_unknown", category: .transient, isTransient: true)
    /// The response of the token endpoint is not a valid token response.
    public static let tokenResponseMalformed = Code(
        "token_response_malformed", category: .authentication, guidance: .report)
    /// The token was already expired when it was received.
    public static let tokenExpiredOnArrival = Code(
        "token_expired_on_arrival", category: .authentication, guidance: .report)
    /// Fresh tokens were rejected repeatedly, so refreshing is suspended.
    public static let refreshSuspended = Code(
        "refresh_suspended", category: .authentication, guidance: .report, isLocalRejection: true)
    /// The credential was signed out.
    public static let signedOut = Code("signed_out", category: .authentication)
    /// The token store failed.
    public static let tokenStoreFailed = Code("token_store_failed", category: .transient, isTransient: true)
}

extension NetworkError.Code {
    /// Whether the error is about obtaining a token, not about the call: category ``ErrorCategory/authentication``, or
    /// a failure of the token service or the token store.
    ///
    /// The token layer has already waited and retried. The other layers must not retry these errors, because that would
    /// multiply the token requests.
    package var concernsCredential: Bool {
        switch self {
        case NetworkError.tokenUnavailable, NetworkError.tokenOutcomeUnknown, NetworkError.tokenStoreFailed:
            true
        default: category == .authentication
        }
    }
}
