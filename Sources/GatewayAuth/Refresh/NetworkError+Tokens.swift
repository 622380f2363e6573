import GatewayCore

extension NetworkError {
    /// Whether no token can be had until somebody signs in or mends the configuration.
    var endsTheEpoch: Bool {
        switch code {
        case .reauthenticationRequired, .credentialMisconfigured, .interactionRequired, .insecureOrigin,
            .credentialMissing, .misconfigured, .signedOut, .authorizationDenied, .authorizationExpired:
            true
        default: false
        }
    }

    /// The same error with how long to wait.
    func waiting(_ duration: Duration) -> NetworkError {
        NetworkError(
            code, message, origin: origin, phase: phase, retryAfter: duration, status: status,
            attempts: attempts, mayHaveBeenSent: mayHaveBeenSent, underlying: underlying)
    }
}

extension NetworkError {
    /// What callers get when an acquirer threw this. Errors of the credential stay what they are; any other is
    /// the token server's trouble, and must not look like the API's: a lost connection to the token server says
    /// nothing about whether the API saw the call.
    init(acquiring error: any Error) {
        guard let error = error as? NetworkError else {
            self.init(
                .tokenUnavailable, "The token provider failed: \(type(of: error)).", underlying: error)
            return
        }
        if error.category == .authentication, error.code != .unacceptableStatus {
            self = error
        } else {
            self.init(
                .tokenUnavailable, "The token provider failed: \(error.code).", origin: error.origin,
                phase: error.phase, retryAfter: error.retryAfter, underlying: error)
        }
    }
}
