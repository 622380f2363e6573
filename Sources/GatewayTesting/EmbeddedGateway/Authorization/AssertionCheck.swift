import GatewayAuth
import GatewayCore

/// Checks assertions by the rules of RFC 7523 §3.
struct AssertionCheck: Sendable {
    /// No assertion may live longer, in seconds.
    private static let longestLife: Int64 = 600
    /// How far clocks may be apart, in seconds.
    private static let leeway: Int64 = 10

    let clock: any GatewayClock
    let replays: ReplayGuard

    /// The token, if it is good.
    ///
    /// - Parameters:
    ///   - text: the assertion.
    ///   - keys: what may have signed it.
    ///   - issuer: who must have issued it.
    ///   - audiences: of whom one must be meant.
    /// - Returns: `nil` for whatever is wrong with it.
    func token(
        _ text: String, keys: [JSONWebTokenKey], issuer: String, audiences: [String]
    ) -> JSONWebToken? {
        let now = clock.unixTime.wholeSeconds
        for key in keys {
            guard let token = try? JSONWebToken.verify(Secret(text), key: key) else { continue }
            guard token.issuer == issuer, token.subject?.isEmpty == false,
                token.audiences.contains(where: audiences.contains),
                let end = token.expiration?.components.seconds, now < end + Self.leeway,
                end <= now + Self.longestLife,
                token.notBefore.map({ $0.components.seconds <= now + Self.leeway }) ?? true,
                token.issuedAt.map({ $0.components.seconds <= now + Self.leeway }) ?? true,
                let id = token.id, replays.isNew("\(issuer) \(id)", until: end, now: now)
            else { return nil }
            return token
        }
        return nil
    }
}
