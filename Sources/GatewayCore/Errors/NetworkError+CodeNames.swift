extension NetworkError.Code {
    // `NetworkError.timeout` is for `catch`, `.timeout` for places that expect a code.

    /// The URL cannot be parsed, or its scheme is not supported.
    public static var invalidURL: Self { NetworkError.invalidURL }
    /// The request contains something that must not be sent.
    public static var invalidRequest: Self { NetworkError.invalidRequest }
    /// The call is not possible with this configuration.
    public static var misconfigured: Self { NetworkError.misconfigured }
    /// The engine was shut down.
    public static var closed: Self { NetworkError.closed }
    /// The call may only use a stored response, and there is none.
    public static var notCached: Self { NetworkError.notCached }
    /// The task was cancelled.
    public static var cancelled: Self { NetworkError.cancelled }
    /// There is no network: the host or network is unreachable.
    public static var noConnection: Self { NetworkError.noConnection }
    /// The host name could not be resolved.
    public static var dnsFailure: Self { NetworkError.dnsFailure }
    /// The host refused the connection.
    public static var connectionRefused: Self { NetworkError.connectionRefused }
    /// The proxy could not be used.
    public static var proxyFailure: Self { NetworkError.proxyFailure }
    /// The TLS handshake failed, or the certificate is not trusted.
    public static var tlsFailure: Self { NetworkError.tlsFailure }
    /// The server's key is not one of the pinned keys.
    public static var pinningFailure: Self { NetworkError.pinningFailure }
    /// A time limit was exceeded; see ``NetworkError/limit``.
    public static var timeout: Self { NetworkError.timeout }
    /// The connection was reset, closed before the end of the response, or lost.
    public static var connectionLost: Self { NetworkError.connectionLost }
    /// The response ended before its announced length.
    public static var truncated: Self { NetworkError.truncated }
    /// The server violated the protocol.
    public static var malformedResponse: Self { NetworkError.malformedResponse }
    /// The circuit breaker is open because of failures of the server.
    public static var circuitOpen: Self { NetworkError.circuitOpen }
    /// A rate limit of the server delays calls, and the delay is too long for this call.
    public static var rateLimited: Self { NetworkError.rateLimited }
    /// Too many calls are already waiting, or no file descriptor is available.
    public static var overloaded: Self { NetworkError.overloaded }
    /// The response is larger than its limit.
    public static var responseTooLarge: Self { NetworkError.responseTooLarge }
    /// The request body could not be produced.
    public static var bodyFailed: Self { NetworkError.bodyFailed }
    /// The request would have to be sent again, but its body cannot be sent again.
    public static var bodyNotReplayable: Self { NetworkError.bodyNotReplayable }
    /// A redirect was not followed: from `https` to `http`, to another scheme, or in a loop.
    public static var redirectRefused: Self { NetworkError.redirectRefused }
    /// The status is not one that the caller accepts; see ``NetworkError/status``.
    public static var unacceptableStatus: Self { NetworkError.unacceptableStatus }
    /// The response could not be decoded.
    public static var decodingFailed: Self { NetworkError.decodingFailed }
    /// An error without its own code.
    public static var other: Self { NetworkError.other }
    /// No credential is configured for the call.
    public static var credentialMissing: Self { NetworkError.credentialMissing }
    /// A credential would be sent over plain HTTP to another machine.
    public static var insecureOrigin: Self { NetworkError.insecureOrigin }
    /// The credentials are no longer accepted: sign in again, or replace them.
    public static var reauthenticationRequired: Self { NetworkError.reauthenticationRequired }
    /// The user has to act (device code, consent).
    public static var interactionRequired: Self { NetworkError.interactionRequired }
    /// The configuration of the credential is wrong.
    public static var credentialMisconfigured: Self { NetworkError.credentialMisconfigured }
    /// The token service is unavailable.
    public static var tokenUnavailable: Self { NetworkError.tokenUnavailable }
    /// The token request was sent and its response was lost.
    public static var tokenOutcomeUnknown: Self { NetworkError.tokenOutcomeUnknown }
    /// The response of the token endpoint is not a valid token response.
    public static var tokenResponseMalformed: Self { NetworkError.tokenResponseMalformed }
    /// The token was already expired when it was received.
    public static var tokenExpiredOnArrival: Self { NetworkError.tokenExpiredOnArrival }
    /// Fresh tokens were rejected repeatedly, so refreshing is suspended.
    public static var refreshSuspended: Self { NetworkError.refreshSuspended }
    /// The credential was signed out.
    public static var signedOut: Self { NetworkError.signedOut }
    /// The token store failed.
    public static var tokenStoreFailed: Self { NetworkError.tokenStoreFailed }
}
