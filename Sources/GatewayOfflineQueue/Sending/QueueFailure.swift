import GatewayCore

/// The effect of an attempt without a response on its entry.
enum QueueFailure: Hashable, Sendable {
    /// Nothing was sent, and other entries for the origin would fail too: it is retried later.
    case held(after: Duration?)
    /// Nothing was sent because of this machine or its configuration: it is retried after its backoff.
    case unsent(after: Duration?)
    /// The server may have received it: it is retried after its backoff.
    case retry(after: Duration?)
    /// This process has abandoned the attempt.
    case released
    /// The account must sign in.
    case park
    /// The credential is currently not available.
    case credentialMissing
    /// The server has responded with this status, but the response could not be received completely.
    case responded(status: Int)
    /// It can never be sent, independent of the state of this machine and of the server.
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
