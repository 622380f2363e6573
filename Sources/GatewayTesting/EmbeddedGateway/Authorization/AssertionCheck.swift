import GatewayAuth
import GatewayCore

/// Validates assertions (RFC 7523 §3).
struct AssertionCheck: Sendable {
    /// The maximum lifetime of an assertion, in seconds.
    private static let longestLife: Int64 = 600
    /// The maximum clock difference, in seconds.
    private static let leeway: Int64 = 10

    let clock: any GatewayClock
    let replays: ReplayGuard

    /// The token of a valid assertion.
    ///
    /// - Parameters:
    ///   - text: the assertion.
    ///   - keys: the accepted keys.
    ///   - issuer: the required issuer.
    ///   - audiences: the accepted audiences, one of which is required.
    /// - Returns: `nil` if the assertion is not valid.
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
