import GatewayAuth
import GatewayCore
import GatewayJSON

/// Signs and verifies the gateway's access tokens, which are JSON Web Tokens.
struct AccessTokenIssuer: Sendable {
    private let signingKey: JSONWebTokenKey
    private let verificationKey: JSONWebTokenKey

    init(
        signing: EmbeddedGateway.Signing, random: some RandomSource
    ) throws(EmbeddedGateway.StartError) {
        do throws(NetworkError) {
            switch signing {
            case .generatedSecret:
                // 64 bytes, twice the minimum for HS256.
                signingKey = try JSONWebTokenKey(secret: random.bytes(words: 8))
                verificationKey = signingKey
            case .secret(let key): (signingKey, verificationKey) = (key, key)
            case .keyPair(let signing, let verification):
                (signingKey, verificationKey) = (signing, verification)
            }
        } catch { throw EmbeddedGateway.StartError(error.message) }
    }

    /// The key for verifying tokens.
    var publicKey: JSONWebTokenKey { verificationKey }

    /// Signs an access token.
    ///
    /// - Throws: ``NetworkError`` with code `credentialMisconfigured` if the key cannot sign.
    func sign(_ claims: EmbeddedGateway.TokenClaims) throws(NetworkError) -> Secret {
        var members: [String: JSONValue] = [
            "iss": .string(claims.issuer), "sub": .string(claims.subject),
            "client_id": .string(claims.clientID),
            "scope": .string(claims.scopes.joined(separator: " ")),
            "iat": .number(JSONNumber(claims.issuedAt)), "exp": .number(JSONNumber(claims.expiresAt)),
            "jti": .string(claims.id), "gen": .number(JSONNumber(claims.generation)),
        ]
        if let thumbprint = claims.keyThumbprint { members["cnf"] = ["jkt": .string(thumbprint)] }
        return try JSONWebToken.sign(claims: members, key: signingKey)
    }

    /// Signs an ID token (OpenID Connect Core 1.0 §2).
    ///
    /// - Throws: ``NetworkError`` with code `credentialMisconfigured` if the key cannot sign.
    func signIDToken(
        for code: AuthorizationCodes.Code, issuedAt: Int64, expiresAt: Int64
    ) throws(NetworkError) -> Secret {
        var members: [String: JSONValue] = [
            "iss": .string(code.issuer), "sub": .string(code.subject), "aud": .string(code.clientID),
            "iat": .number(JSONNumber(issuedAt)), "auth_time": .number(JSONNumber(issuedAt)),
            "exp": .number(JSONNumber(expiresAt)),
        ]
        if let nonce = code.nonce { members["nonce"] = .string(nonce) }
        return try JSONWebToken.sign(claims: members, key: signingKey)
    }

    /// Verifies the signature of a token; `nil` if it was not issued by this gateway.
    func read(_ token: Secret) -> EmbeddedGateway.TokenClaims? {
        guard let token = try? JSONWebToken.verify(token, key: verificationKey),
            let issuer = token.issuer, let subject = token.subject,
            let clientID = token.claims["client_id"]?.string, let scope = token.claims["scope"]?.string,
            let issuedAt = token.claims["iat"]?.int, let expiresAt = token.claims["exp"]?.int,
            let id = token.claims["jti"]?.string, let generation = token.claims["gen"]?.int, generation > 0
        else { return nil }
        return EmbeddedGateway.TokenClaims(
            issuer: issuer, subject: subject, clientID: clientID,
            scopes: scope.split(separator: " ").map(String.init), issuedAt: Int64(issuedAt),
            expiresAt: Int64(expiresAt), id: id, generation: UInt64(generation),
            keyThumbprint: Self.thumbprint(token.claims["cnf"]))
    }
    private static func thumbprint(_ confirmation: JSONValue?) -> String? {
        confirmation?["jkt"]?.string
    }
}
