import GatewayCore

/// What becomes of an entry after an attempt without a response.
enum QueueFailure: Hashable, Sendable {
    /// Nothing was sent, and other entries for the origin would fare no better: it is tried again later.
    case held(after: Duration?)
    /// The server may have received it: it is sent again after its backoff.
    case retry(after: Duration?)
    /// The attempt was given up by this side.
    case released
    /// The account has to sign in.
    case park
    /// The credential is not available now.
    case credentialMissing
    /// The server took it, and its response could not be kept.
    case done
    /// It can never be sent.
    case poison

    init(_ error: NetworkError) {
        switch error.code {
        case NetworkError.cancelled: self = .released
        case NetworkError.reauthenticationRequired, NetworkError.interactionRequired, NetworkError.signedOut:
            self = .park
        case let code where code.concernsCredential: self = .credentialMissing
        // The response had come; only its content is too large, or damaged.
        case _ where error.status.map((200..<300).contains) ?? false: self = .done
        case let code where code.isLocalRejection: self = .held(after: error.retryAfter)
        case NetworkError.responseTooLarge, NetworkError.redirectRefused: self = .poison
        case _ where error.mayHaveBeenSent: self = .retry(after: error.retryAfter)
        case let code where code.category == .device || code.isTransient:
            self = .held(after: error.retryAfter)
        default: self = .poison
        }
    }
}
