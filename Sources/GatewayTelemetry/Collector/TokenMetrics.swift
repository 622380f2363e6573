package import GatewayCore

/// What is known of the tokens of each credential, bounded in number. Credentials past the bound are counted like the others,
/// without the reason and the duration of their refreshes.
struct TokenMetrics: Sendable {
    private struct Refresh: Sendable {
        let reason: TokenEvent.Reason
        let start: ContinuousClock.Instant
    }

    private static let limit = 1_000

    private var refreshes: [String: Refresh] = [:]
    private var expiries: [String: ContinuousClock.Instant] = [:]

    /// What an event means for the instruments.
    mutating func measurements(of event: borrowing TokenEvent) -> [Measurement] {
        let key = event.credential.key
        var result: [Measurement] = [.count(.tokenEvents, [event.kind.name])]
        switch event.kind {
        case .refreshStarted(let reason):
            if refreshes.count < Self.limit || refreshes[key] != nil {
                refreshes[key] = Refresh(reason: reason, start: event.instant)
            }
        case .refreshed(let lifetime, _):
            result += end(event, "refreshed")
            setExpiry(event.instant.adding(lifetime), of: key, now: event.instant)
        case .adopted(let lifetime, _):
            result += end(event, "adopted")
            setExpiry(event.instant.adding(lifetime), of: key, now: event.instant)
        case .refreshFailed(let cause, _, _, _): result += end(event, cause.code.name)
        case .grantDiscarded: result += end(event, "discarded")
        case .signedOut: expiries[key] = nil
        case .lifetimeLimited, .scopesNarrowed, .storeFailed, .storeRecovered, .rejected, .revocationFailed,
            .signedIn, .notShared:
            break
        }
        return result
    }

    private mutating func end(_ event: borrowing TokenEvent, _ outcome: String) -> [Measurement] {
        guard let refresh = refreshes.removeValue(forKey: event.credential.key) else {
            return [.count(.tokenRefreshes, ["unknown", outcome])]
        }
        let labels = [refresh.reason.rawValue, outcome]
        return [
            .count(.tokenRefreshes, labels),
            .duration(.tokenRefreshDuration, labels, refresh.start.duration(to: event.instant)),
        ]
    }

    private mutating func setExpiry(
        _ expiry: ContinuousClock.Instant, of key: String, now: ContinuousClock.Instant
    ) {
        if expiries[key] == nil, expiries.count >= Self.limit {
            expiries = expiries.filter { $0.value > now }
            guard expiries.count < Self.limit else { return }
        }
        expiries[key] = expiry
    }

    /// The time until the first token expires; `nil` without tokens.
    func timeToExpiry(now: ContinuousClock.Instant) -> Duration? {
        expiries.values.min().map { now.duration(to: $0) }
    }
}

extension TokenEvent.Kind {
    /// The kind as metrics and logs name it.
    package var name: String {
        switch self {
        case .refreshStarted: "refresh_started"
        case .refreshed: "refreshed"
        case .adopted: "adopted"
        case .lifetimeLimited: "lifetime_limited"
        case .scopesNarrowed: "scopes_narrowed"
        case .storeFailed: "store_failed"
        case .storeRecovered: "store_recovered"
        case .refreshFailed: "refresh_failed"
        case .rejected: "rejected"
        case .grantDiscarded: "grant_discarded"
        case .revocationFailed: "revocation_failed"
        case .notShared: "not_shared"
        case .signedIn: "signed_in"
        case .signedOut: "signed_out"
        }
    }
}
