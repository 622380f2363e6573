import GatewayCore
import GatewayJSON

/// Validates the ID token of a sign-in (OpenID Connect Core 1.0 §3.1.3.7).
///
/// The ID token is received from the token endpoint, over TLS or on this machine, which §3.1.3.7 rule 6
/// accepts instead of its signature. With the issuer's keys the signature is verified too.
struct IDTokenCheck: Sendable {
    /// The maximum clock difference.
    private static let leeway: Duration = .seconds(30)

    let nonce: String
    let issuer: String?
    let clientID: String
    /// `max_age` of the request, in seconds.
    let maximumAge: UInt32?
    let keys: JSONWebKeySetSource?
    let clock: any GatewayClock

    /// Validates the ID token of a token response.
    ///
    /// - Returns: the ID token.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `idTokenInvalid`; with `tokenUnavailable` if the issuer's keys
    ///   are not available.
    func check(_ response: TokenResponse) async throws(NetworkError) -> Secret {
        func invalid(_ message: String, _ cause: JSONWebTokenError? = nil) -> NetworkError {
            NetworkError(.idTokenInvalid, message, origin: response.origin, underlying: cause)
        }
        guard let text = response.idToken else {
            throw invalid("The token response has no ID token, although the scope openid was requested.")
        }
        let token: JSONWebToken
        do throws(JSONWebTokenError) { token = try await read(text) } catch {
            guard error.code != .keysUnavailable else {
                throw NetworkError(
                    .tokenUnavailable, "The issuer's keys for the ID token are not available.",
                    origin: response.origin, underlying: error)
            }
            throw invalid("The ID token is not valid (\(error.code)).", error)
        }
        guard let found = token.claims["nonce"]?.string, Secret(found) == Secret(nonce) else {
            throw invalid("The nonce of the ID token is missing or not the one of this sign-in.")
        }
        guard token.subject?.isEmpty == false else { throw invalid("The ID token has no subject.") }
        // Rules 3 to 5: additional audiences are accepted only if the token was issued to this client.
        let party = token.claims["azp"]
        guard party == nil ? token.audiences.count == 1 : party?.string?.hasSameBytes(as: clientID) == true
        else { throw invalid("The authorized party of the ID token is another client.") }
        guard isRecent(token) else {
            throw invalid("The ID token does not show an authentication within max_age.")
        }
        return text
    }

    private func read(_ text: Secret) async throws(JSONWebTokenError) -> JSONWebToken {
        var requirements = JSONWebTokenRequirements(issuer: issuer, audience: clientID)
        requirements.leeway = Self.leeway
        if let keys {
            return try await JSONWebTokenVerifier(source: keys, requirements: requirements, clock: clock)
                .verify(text)
        }
        let token = try JSONWebToken(decoding: text)
        try token.check(requirements, unixTime: clock.unixTime)
        return token
    }

    /// Whether the authentication is recent enough. With `max_age` the token must contain its time (rule
    /// 13).
    private func isRecent(_ token: JSONWebToken) -> Bool {
        guard let maximumAge else { return true }
        guard let time = token.claims["auth_time"]?.double else { return false }
        let age = clock.unixTime / .seconds(1) - time
        return age <= Double(maximumAge) + Self.leeway / .seconds(1)
    }
}
