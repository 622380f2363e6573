import GatewayCore

extension NetworkError {
    /// Whether no token can be obtained until a sign-in or a change of the configuration.
    var endsTheEpoch: Bool {
        if credentialReason?.mayPass == true { return false }
        return switch code {
        case .reauthenticationRequired, .credentialMisconfigured, .interactionRequired, .insecureOrigin,
            .credentialMissing, .misconfigured, .signedOut, .authorizationDenied, .authorizationExpired:
            true
        default: false
        }
    }

    /// A copy of the error with a `retryAfter`.
    func waiting(_ duration: Duration) -> NetworkError {
        NetworkError(
            code, message, origin: origin, phase: phase, retryAfter: duration, status: status,
            attempts: attempts, mayHaveBeenSent: mayHaveBeenSent, underlying: underlying)
    }
}

extension NetworkError {
    /// The error for callers if an acquirer throws `error`. Credential errors are unchanged. Any other error becomes
    /// `tokenUnavailable`, so that it is not mistaken for an error of the API: a lost connection to the token server,
    /// for example, does not mean that the API may have received the call.
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
