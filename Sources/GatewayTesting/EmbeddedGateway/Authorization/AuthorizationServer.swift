import GatewayAuth
import GatewayCore

/// Issues, revokes and validates tokens.
final class AuthorizationServer: Sendable {
    /// The result of checking a credential.
    enum Verdict {
        case admitted(EmbeddedGateway.TokenClaims?)
        case refused(EmbeddedGateway.Reply)
    }

    /// The owner and scopes of an access token.
    struct Grant {
        let clientID: String
        let subject: String
        let scopes: [String]
        var family: Int?
        /// The thumbprint of the key that the token is bound to (RFC 9449 §6).
        var keyThumbprint: String?
    }

    private struct State {
        var lastGeneration: UInt64 = 0
        var revokedUpTo: UInt64 = 0
        var revoked: Set<UInt64> = []
        var families = RefreshTokenFamilies()
        /// Tokens whose signature was verified before.
        var verified: [String: EmbeddedGateway.TokenClaims] = [:]
    }

    /// The maximum number of verified tokens that are remembered. When it is exceeded, all are forgotten.
    private static let verifiedLimit = 4096

    let clients: [EmbeddedGateway.Client]
    let issuer: String
    let partnerIssuer: String
    let tokens: AccessTokenIssuer
    let clock: any GatewayClock
    let trustedIssuers: [String: JSONWebTokenKey]
    let proofs: ProofCheck
    let assertions: AssertionCheck
    let devices: DeviceAuthorizations
    let codes = AuthorizationCodes()
    private let configuration: EmbeddedGateway.Configuration
    private let challenge: BearerChallenge
    private let state = Locked(State())

    init(
        configuration: EmbeddedGateway.Configuration, issuer: String
    ) throws(EmbeddedGateway.StartError) {
        self.configuration = configuration
        self.issuer = issuer
        partnerIssuer = issuer + "/partners"
        clients = configuration.clients
        clock = configuration.clock
        trustedIssuers = configuration.trustedIssuers
        let replays = ReplayGuard()
        assertions = AssertionCheck(clock: configuration.clock, replays: replays)
        proofs = ProofCheck(configuration: configuration, replays: replays)
        devices = DeviceAuthorizations(configuration.deviceCodes)
        for client in clients { SecretLedger.note(client.secret, .clientSecret) }
        challenge = BearerChallenge(realm: configuration.realm)
        tokens = try AccessTokenIssuer(signing: configuration.signing, random: configuration.random)
    }

    // MARK: Issuing

    /// The generation of the newest token; 0 before the first.
    var lastGeneration: UInt64 { state.withLock { $0.lastGeneration } }

    /// Issues an access token.
    func issue(
        to grant: Grant, lifetime: Duration? = nil, isPartner: Bool = false
    ) throws(NetworkError) -> EmbeddedGateway.IssuedAccessToken {
        let lifetime = lifetime ?? configuration.accessTokenLifetime
        let generation = state.withLock { state in
            state.lastGeneration += 1
            if let family = grant.family {
                state.families.issued(generation: state.lastGeneration, to: family)
            }
            return state.lastGeneration
        }
        let now = configuration.clock.unixTime
        let claims = EmbeddedGateway.TokenClaims(
            issuer: isPartner ? partnerIssuer : issuer, subject: grant.subject, clientID: grant.clientID,
            scopes: grant.scopes, issuedAt: now.wholeSeconds, expiresAt: Self.end(now, lifetime),
            id: makeToken(words: 2), generation: generation, keyThumbprint: grant.keyThumbprint)
        let token = try tokens.sign(claims)
        SecretLedger.note(token, .accessToken)
        return EmbeddedGateway.IssuedAccessToken(token: token, claims: claims)
    }

    /// The expiration time, rounded up to whole seconds, so that a token is valid at least for the announced lifetime.
    /// A token with a lifetime of zero or less has already expired.
    private static func end(_ now: Duration, _ lifetime: Duration) -> Int64 {
        let end = now + .seconds(lifetime.wholeSeconds)
        let isWhole = end.components.attoseconds == 0 || lifetime <= .zero
        return end.components.seconds + (isWhole ? 0 : 1)
    }

    /// Issues an ID token (OpenID Connect Core 1.0 §2).
    func idToken(for code: AuthorizationCodes.Code) throws(NetworkError) -> Secret {
        let now = configuration.clock.unixTime
        let token = try tokens.signIDToken(
            for: code, issuedAt: now.wholeSeconds,
            expiresAt: Self.end(now, configuration.accessTokenLifetime))
        SecretLedger.note(token, .idToken)
        return token
    }

    /// The lifetime of access tokens that clients are told.
    var lifetime: Duration { configuration.accessTokenLifetime }

    /// Starts a family of refresh tokens.
    func startFamily(
        clientID: String, subject: String, scopes: [String], keyThumbprint: String? = nil
    ) -> (family: Int, token: Secret) {
        let token = Secret(makeToken(words: 4))
        SecretLedger.note(token, .refreshToken)
        let family = state.withLock {
            $0.families.start(
                clientID: clientID, subject: subject, scopes: scopes, token: token,
                keyThumbprint: keyThumbprint)
        }
        return (family, token)
    }

    /// Looks up a refresh token without using it.
    func family(of token: Secret, clientID: String) -> RefreshTokenFamilies.Family? {
        state.withLock { $0.families.lookUp(token, clientID: clientID) }
    }

    /// Uses a refresh token. A reused token also revokes the access tokens of its family.
    func use(
        _ token: Secret, clientID: String
    ) -> (use: RefreshTokenFamilies.Use, replacement: Secret?) {
        let replacement = configuration.rotatesRefreshTokens ? Secret(makeToken(words: 4)) : nil
        if let replacement { SecretLedger.note(replacement, .refreshToken) }
        let use = state.withLock { state in
            let use = state.families.use(token, clientID: clientID, replacement: replacement)
            if case .reused(let generations) = use { state.revoked.formUnion(generations) }
            return use
        }
        return (use, replacement)
    }

    /// Creates an unpredictable text.
    func makeToken(words: Int) -> String {
        configuration.random.hexadecimal(words: words)
    }

    // MARK: Revoking

    /// Revokes all access tokens up to a generation; `nil` for all that were issued so far.
    ///
    /// - Returns: the generation.
    func revoke(upTo generation: UInt64?) -> UInt64 {
        state.withLock { state in
            state.revokedUpTo = max(state.revokedUpTo, generation ?? state.lastGeneration)
            return state.revokedUpTo
        }
    }

    /// Revokes all refresh tokens that were issued so far.
    func revokeRefreshTokens() { state.withLock { $0.families.revokeAll() } }

    /// Revokes a token of a client (RFC 7009). A refresh token revokes its whole family.
    func revoke(_ token: Secret, clientID: String) {
        let claims = tokens.read(token)
        state.withLock { state in
            state.revoked.formUnion(state.families.revoke(token, clientID: clientID))
            if let claims, claims.clientID == clientID { state.revoked.insert(claims.generation) }
        }
    }

    // MARK: Checking

    /// Whether an access token is valid: neither revoked nor expired.
    func isGood(_ claims: EmbeddedGateway.TokenClaims) -> Bool {
        !isRevoked(claims) && configuration.clock.unixTime < .seconds(claims.expiresAt)
    }

    /// Reads the credential of a request and verifies its signature. Expiration and revocation are not checked.
    func bearer(of request: EmbeddedGateway.Request) -> BearerCredential {
        switch BearerCredential.text(in: request.fields) {
        case .failure: return .malformed
        case .success(nil): return .none
        case .success(let presented?):
            // Without token binding the DPoP scheme is not known.
            guard !presented.isBound || proofs.isOffered else { return .none }
            guard let claims = claims(of: String(presented.token)) else { return .unknown }
            switch (claims.keyThumbprint, presented.isBound) {
            case (nil, false): return .token(claims)
            // A bound token is not a bearer token, and vice versa (RFC 9449 §7.1).
            case (nil, true), (_?, false): return .wrongScheme
            case (let thumbprint?, true):
                let failure = proofs.atAPI(request, token: presented.token, thumbprint: thumbprint)
                return failure.map { .unproven($0) } ?? .token(claims)
            }
        }
    }

    private func isRevoked(_ claims: EmbeddedGateway.TokenClaims) -> Bool {
        state.withLock { claims.generation <= $0.revokedUpTo || $0.revoked.contains(claims.generation) }
    }

    private func claims(of text: String) -> EmbeddedGateway.TokenClaims? {
        if let claims = state.withLock({ $0.verified[text] }) { return claims }
        guard let claims = tokens.read(Secret(text)),
            claims.issuer == issuer || claims.issuer == partnerIssuer
        else { return nil }
        state.withLock { state in
            if state.verified.count >= Self.verifiedLimit { state.verified = [:] }
            state.verified[text] = claims
        }
        return claims
    }

    /// Decides whether a credential may access a route (RFC 6750 §3.1).
    func check(_ credential: BearerCredential, against access: EmbeddedGateway.Access) -> Verdict {
        guard let alternatives = access.alternatives else {
            if case .token(let claims) = credential { return .admitted(claims) }
            return .admitted(nil)
        }
        switch credential {
        case .none: return .refused(challenge.missing())
        case .malformed: return .refused(challenge.malformed())
        case .unknown: return .refused(challenge.invalid("The access token is not one of this gateway"))
        case .wrongScheme:
            return .refused(challenge.invalid("The access token does not go with this scheme"))
        case .unproven(let failure): return .refused(challenge.unproven(failure.code))
        case .token(let claims):
            if isRevoked(claims) { return .refused(challenge.invalid("The access token was revoked")) }
            if configuration.clock.unixTime >= .seconds(claims.expiresAt) {
                return .refused(challenge.invalid("The access token expired"))
            }
            if access.admitsPartners, claims.issuer == partnerIssuer { return .admitted(claims) }
            if alternatives.contains(where: { $0.allSatisfy(claims.scopes.contains) }) {
                return .admitted(claims)
            }
            return .refused(challenge.insufficient(needed: alternatives.first ?? []))
        }
    }
}
