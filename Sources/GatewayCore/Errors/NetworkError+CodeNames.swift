extension NetworkError.Code {
    // `NetworkError.timeout` serves `catch`, `.timeout` serves every place that expects a code.

    /// The URL cannot be parsed, or is none we speak.
    public static var invalidURL: Self { NetworkError.invalidURL }
    /// The request holds something that must not reach the wire.
    public static var invalidRequest: Self { NetworkError.invalidRequest }
    /// The configuration makes the call impossible.
    public static var misconfigured: Self { NetworkError.misconfigured }
    /// The engine was closed.
    public static var closed: Self { NetworkError.closed }
    /// The call may use only a stored response, and there is none.
    public static var notCached: Self { NetworkError.notCached }
    /// The task was cancelled.
    public static var cancelled: Self { NetworkError.cancelled }
    /// There is no network: the host or network is unreachable.
    public static var noConnection: Self { NetworkError.noConnection }
    /// The name did not resolve.
    public static var dnsFailure: Self { NetworkError.dnsFailure }
    /// The host refused the connection.
    public static var connectionRefused: Self { NetworkError.connectionRefused }
    /// The proxy could not be used.
    public static var proxyFailure: Self { NetworkError.proxyFailure }
    /// The TLS handshake failed, or the certificate is not trusted.
    public static var tlsFailure: Self { NetworkError.tlsFailure }
    /// The server's key is not among the pinned ones.
    public static var pinningFailure: Self { NetworkError.pinningFailure }
    /// A time limit passed: ``NetworkError/limit`` tells which.
    public static var timeout: Self { NetworkError.timeout }
    /// The connection broke: reset, closed in the middle, or lost.
    public static var connectionLost: Self { NetworkError.connectionLost }
    /// The response ended before its announced end.
    public static var truncated: Self { NetworkError.truncated }
    /// The other side broke the protocol.
    public static var malformedResponse: Self { NetworkError.malformedResponse }
    /// A circuit breaker rejects calls, because the server failed.
    public static var circuitOpen: Self { NetworkError.circuitOpen }
    /// A rate limit of the server holds calls back.
    public static var rateLimited: Self { NetworkError.rateLimited }
    /// Too many calls wait already.
    public static var overloaded: Self { NetworkError.overloaded }
    /// The response is larger than its limit.
    public static var responseTooLarge: Self { NetworkError.responseTooLarge }
    /// The request's body could not be produced.
    public static var bodyFailed: Self { NetworkError.bodyFailed }
    /// The request would have to be sent again, and its body cannot be.
    public static var bodyNotReplayable: Self { NetworkError.bodyNotReplayable }
    /// A redirect leads where calls do not follow: from https to http, to another scheme, or in circles.
    public static var redirectRefused: Self { NetworkError.redirectRefused }
    /// The status is none the caller accepts; see ``NetworkError/status``.
    public static var unacceptableStatus: Self { NetworkError.unacceptableStatus }
    /// The response could not be decoded.
    public static var decodingFailed: Self { NetworkError.decodingFailed }
    /// Something that no other code names.
    public static var other: Self { NetworkError.other }
    /// No credential was configured for the call.
    public static var credentialMissing: Self { NetworkError.credentialMissing }
    /// A credential would go over plain HTTP to another machine.
    public static var insecureOrigin: Self { NetworkError.insecureOrigin }
    /// The credentials are no longer accepted: somebody must sign in, or replace them.
    public static var reauthenticationRequired: Self { NetworkError.reauthenticationRequired }
    /// A person has to act (device code, consent).
    public static var interactionRequired: Self { NetworkError.interactionRequired }
    /// The credential's configuration is wrong.
    public static var credentialMisconfigured: Self { NetworkError.credentialMisconfigured }
    /// The token service is unavailable.
    public static var tokenUnavailable: Self { NetworkError.tokenUnavailable }
    /// The token request was sent and its response lost.
    public static var tokenOutcomeUnknown: Self { NetworkError.tokenOutcomeUnknown }
    /// The token endpoint answered with something that is no token response.
    public static var tokenResponseMalformed: Self { NetworkError.tokenResponseMalformed }
    /// The token was expired when it came.
    public static var tokenExpiredOnArrival: Self { NetworkError.tokenExpiredOnArrival }
    /// Fresh tokens were rejected again and again: refreshing is suspended.
    public static var refreshSuspended: Self { NetworkError.refreshSuspended }
    /// The credential was signed out.
    public static var signedOut: Self { NetworkError.signedOut }
    /// The token store failed.
    public static var tokenStoreFailed: Self { NetworkError.tokenStoreFailed }
}
