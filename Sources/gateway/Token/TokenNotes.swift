import GatewayClient

/// What became known of the newest token while it was requested.
final class TokenNotes: Sendable {
    private struct State {
        var lifetime: Duration?
        var limit: (issued: Duration, used: Duration)?
        var missingScopes: [String] = []
    }

    private let state = Locked(State())

    /// How long the token is valid.
    var lifetime: Duration? { state.withLock { $0.lifetime } }
    /// The lifetime that the issuer gave the token and the shorter one that is used, if they differ.
    var limit: (issued: Duration, used: Duration)? { state.withLock { $0.limit } }
    /// The scopes that were requested and not granted.
    var missingScopes: [String] { state.withLock { $0.missingScopes } }

    /// Takes note of an event.
    func record(_ event: TokenEvent) {
        state.withLock { state in
            switch event.kind {
            case .refreshed(let lifetime, _), .adopted(let lifetime, _): state = State(lifetime: lifetime)
            case .lifetimeLimited(let issued, let used): state.limit = (issued, used)
            case .scopesNarrowed(let missing): state.missingScopes = missing
            default: break
            }
        }
    }
}
