import GatewayCore

extension NetworkError {
    /// Whether there will be no token until somebody signs in or corrects the configuration.
    var endsTheEpoch: Bool {
        if credentialReason?.mayPass == true { return false }
        return switch code {
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
    /// The error for callers when an acquirer throws this one. Errors of the credential are unchanged; any other becomes
    /// `tokenUnavailable`, so that it does not look like an error of the API: a connection to the token server that was
    /// lost says nothing about whether the API received the call.
    init(acquiring error: any Error) {
        guard let error = error as? NetworkError else {
            self.init(
                .tokenUnavailable, "The token provider threw \(type(of: error)).", underlying: error)
            return
        }
        if error.code.concernsCredential, error.code != .unacceptableStatus {
            self = error
        } else {
            self.init(
                .tokenUnavailable, "The token provider failed with \(error.code).", origin: error.origin,
                phase: error.phase, retryAfter: error.retryAfter, underlying: error)
        }
    }
}
