extension NetworkError {
    /// What happened. The set may grow: compare with the constants, and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A stable name, fit for logs and metrics.
        public let name: String
        /// What kind of failure this is.
        public let category: ErrorCategory
        /// Whether a later attempt may succeed although nothing was changed.
        public let isTransient: Bool
        /// What the caller can do about it.
        public let guidance: ErrorGuidance
        /// Whether the client refuses to send with this code, on its own decision; see
        /// ``GatewayCallError/isLocalRejection``.
        public let isLocalRejection: Bool

        /// Makes a code, for layers of your own.
        ///
        /// - Parameters:
        ///   - name: a stable name, in lower case with underscores.
        ///   - category: the kind of the failure.
        ///   - isTransient: whether a later attempt may succeed although nothing was changed.
        ///   - guidance: what the caller can do about it. By default it follows from the two before it.
        ///   - isLocalRejection: whether the client refuses to send with this code, on its own decision.
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

        /// What may be printed.
        public var description: String { name }
        /// Two codes of one name are equal.
        public static func == (a: Code, b: Code) -> Bool { a.name == b.name }
        /// Feeds what `==` compares into the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// Lets `catch NetworkError.noConnection` match by code, errors of typed calls too.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? any GatewayCallError)?.code == code
        }
    }

    /// Where in an exchange something happened.
    public enum Phase: String, Hashable, Sendable {
        /// Waiting for the credential.
        case credential
        /// In our own queue, before anything was sent.
        case queue
        /// Resolving the name.
        case resolve
        /// Connecting.
        case connect
        /// In the TLS handshake.
        case tls
        /// Sending the request.
        case send
        /// Waiting until the program produces more of the request body.
        case produce
        /// Waiting for the first byte of the response.
        case firstByte
        /// Reading the response.
        case receive
        /// Waiting until the program reads more of the response.
        case consume
        /// The whole attempt, where its parts are not told apart. As ``NetworkError/limit``: its time limit.
        case attempt
        /// The whole call, retries and waits included. As ``NetworkError/limit``: its deadline.
        case call
    }

    // MARK: Before any I/O

    /// The URL cannot be parsed, or is none we speak.
    public static let invalidURL = Code("invalid_url", category: .permanent, guidance: .correctRequest)
    /// The request holds something that must not reach the wire.
    public static let invalidRequest = Code(
        "invalid_request", category: .permanent, guidance: .correctRequest)
    /// The configuration makes the call impossible.
    public static let misconfigured = Code("misconfigured", category: .permanent)
    /// The engine was closed.
    public static let closed = Code("closed", category: .permanent, isLocalRejection: true)
    /// The call may use only a stored response (``CacheMode/onlyIfCached``), and there is none.
    public static let notCached = Code(
        "not_cached", category: .permanent, guidance: .correctRequest, isLocalRejection: true)
    /// The task was cancelled.
    public static let cancelled = Code("cancelled", category: .permanent, guidance: .ignore)

    // MARK: Client and device

    /// There is no network: the host or network is unreachable.
    public static let noConnection = Code("no_connection", category: .device, isTransient: true)
    /// The name did not resolve.
    public static let dnsFailure = Code("dns_failure", category: .device, isTransient: true)
    /// The host refused the connection.
    public static let connectionRefused = Code("connection_refused", category: .transient, isTransient: true)
    /// The proxy could not be used.
    public static let proxyFailure = Code("proxy_failure", category: .device, isTransient: true)
    /// The TLS handshake failed, or the certificate is not trusted.
    public static let tlsFailure = Code("tls_failure", category: .device)
    /// The server's key is not among the pinned ones.
    public static let pinningFailure = Code("pinning_failure", category: .device)

    // MARK: Transient

    /// A time limit passed: ``NetworkError/limit`` tells which, ``NetworkError/phase`` what the call was doing.
    public static let timeout = Code("timeout", category: .transient, isTransient: true)
    /// The connection broke: reset, closed in the middle, or lost.
    public static let connectionLost = Code("connection_lost", category: .transient, isTransient: true)
    /// The response ended before its announced end.
    public static let truncated = Code("truncated", category: .transient, isTransient: true)
    /// The other side broke the protocol.
    public static let malformedResponse = Code(
        "malformed_response", category: .transient, isTransient: true, guidance: .report)
    /// A circuit breaker rejects calls, because the server failed; `retryAfter` is the time until one is admitted.
    public static let circuitOpen = Code(
        "circuit_open", category: .transient, isTransient: true, isLocalRejection: true)
    /// A rate limit of the server holds calls back, and this one's turn comes too late; `retryAfter` is the time until then.
    public static let rateLimited = Code(
        "rate_limited", category: .transient, isTransient: true, isLocalRejection: true)
    /// Too many calls wait already.
    public static let overloaded = Code(
        "overloaded", category: .transient, isTransient: true, isLocalRejection: true)

    // MARK: Permanent

    /// The response is larger than its limit.
    public static let responseTooLarge = Code(
        "response_too_large", category: .permanent, guidance: .correctRequest)
    /// The request's body could not be produced.
    public static let bodyFailed = Code("body_failed", category: .permanent, guidance: .correctRequest)
    /// The request would have to be sent again, and its body cannot be.
    public static let bodyNotReplayable = Code("body_not_replayable", category: .permanent, guidance: .retry)
    /// A redirect leads where calls do not follow: from https to http, to another scheme, or in circles.
    public static let redirectRefused = Code("redirect_refused", category: .permanent)
    /// The status is none the caller accepts; see ``NetworkError/status``.
    public static let unacceptableStatus = Code("unacceptable_status", category: .permanent)
    /// The response could not be decoded.
    public static let decodingFailed = Code("decoding_failed", category: .permanent)
    /// Something that no other code names.
    public static let other = Code("other", category: .permanent)

    // MARK: Authentication

    /// No credential was configured for the call.
    public static let credentialMissing = Code(
        "credential_missing", category: .authentication, guidance: .report)
    /// A credential would go over plain HTTP to another machine.
    public static let insecureOrigin = Code("insecure_origin", category: .authentication, guidance: .report)
    /// The credentials are no longer accepted: somebody must sign in, or replace them.
    public static let reauthenticationRequired = Code(
        "reauthentication_required", category: .authentication)
    /// A person has to act (device code, consent).
    public static let interactionRequired = Code("interaction_required", category: .authentication)
    /// The credential's configuration is wrong.
    public static let credentialMisconfigured = Code(
        "credential_misconfigured", category: .authentication, guidance: .report)
    /// The token service is unavailable. The credential is not at fault: a later call gets a token without a sign-in.
    public static let tokenUnavailable = Code("token_unavailable", category: .transient, isTransient: true)
    /// The token request was sent and its response lost. A later call sends another one.
    public static let tokenOutcomeUnknown = Code(
        "token_outcome_unknown", category: .transient, isTransient: true)
    /// The token endpoint answered with something that is no token response.
    public static let tokenResponseMalformed = Code(
        "token_response_malformed", category: .authentication, guidance: .report)
    /// The token was expired when it came.
    public static let tokenExpiredOnArrival = Code(
        "token_expired_on_arrival", category: .authentication, guidance: .report)
    /// Fresh tokens were rejected again and again: refreshing is suspended.
    public static let refreshSuspended = Code(
        "refresh_suspended", category: .authentication, guidance: .report, isLocalRejection: true)
    /// The credential was signed out.
    public static let signedOut = Code("signed_out", category: .authentication)
    /// The token store failed.
    public static let tokenStoreFailed = Code("token_store_failed", category: .transient, isTransient: true)
}

extension NetworkError.Code {
    /// Whether the error is about getting a token, not about the call: of the category ``ErrorCategory/authentication``,
    /// or a failure of the token service or the token store.
    ///
    /// The layer that keeps tokens has waited and tried again itself. The layers below it must not do so once more,
    /// which would multiply the token requests.
    package var concernsCredential: Bool {
        switch self {
        case NetworkError.tokenUnavailable, NetworkError.tokenOutcomeUnknown, NetworkError.tokenStoreFailed:
            true
        default: category == .authentication
        }
    }
}
