import GatewayCore

/// What becomes of an entry after an attempt without a response.
enum QueueFailure: Hashable, Sendable {
    /// Nothing was sent, and other entries for the origin would fare no better: it is tried again later.
    case held(after: Duration?)
    /// Nothing was sent, for a reason that lies with this machine or its configuration: it is tried again after its backoff.
    case unsent(after: Duration?)
    /// The server may have received it: it is sent again after its backoff.
    case retry(after: Duration?)
    /// The attempt was given up by this side.
    case released
    /// The account has to sign in.
    case park
    /// The credential is not available now.
    case credentialMissing
    /// The server has decided: a response with this status had begun, and could not be kept.
    case responded(status: Int)
    /// It can never be sent, whatever the state of this machine and of the server is.
    case poison

    init(_ error: NetworkError) {
        switch error.code {
        case NetworkError.cancelled: self = .released
        case NetworkError.reauthenticationRequired, NetworkError.interactionRequired, NetworkError.signedOut:
            self = .park
        case let code where code.concernsCredential: self = .credentialMissing
        case let code where code.isLocalRejection: self = .held(after: error.retryAfter)
        case NetworkError.redirectRefused: self = .poison
        default:
            if let status = error.status {
                self = .responded(status: status)
            } else if error.mayHaveBeenSent {
                self = .retry(after: error.retryAfter)
            } else if error.code == NetworkError.invalidRequest || error.code == NetworkError.invalidURL {
                self = .poison
            } else if error.code.category == .device || error.code.isTransient {
                self = .held(after: error.retryAfter)
            } else {
                self = .unsent(after: error.retryAfter)
            }
        }
    }
}
