import GatewayAuth
import GatewayCore
import GatewayDigest
import GatewayJSON

/// Validates DPoP proofs (RFC 9449 §4.3) and provides nonces (§8, §9).
final class ProofCheck: Sendable {
    /// Why a proof is rejected.
    enum Failure: Error {
        case invalid
        case nonceNeeded

        /// The error code (RFC 9449 §12.2).
        var code: String { self == .invalid ? "invalid_dpop_proof" : "use_dpop_nonce" }
    }

    /// The kind of server. The token endpoint and the API have separate nonces (§8.2, §9).
    enum Role: Sendable { case tokenEndpoint, api }

    private struct Nonces {
        var tokenEndpoint: String
        var api: String
        /// Whether the same nonce is required again and again, to test clients that would never stop.
        var isStubborn = false
    }

    /// The maximum age of a proof and the maximum clock difference, in seconds.
    private static let window: Int64 = 60

    private let mode: EmbeddedGateway.TokenBinding
    private let clock: any GatewayClock
    private let random: any RandomSource
    private let replays: ReplayGuard
    private let nonces: Locked<Nonces>

    init(configuration: EmbeddedGateway.Configuration, replays: ReplayGuard) {
        mode = configuration.binding
        clock = configuration.clock
        random = configuration.random
        self.replays = replays
        nonces = Locked(
            Nonces(
                tokenEndpoint: Self.nonce(configuration.random), api: Self.nonce(configuration.random)))
    }

    private static func nonce(_ random: any RandomSource) -> String { "n" + String(random.next(), radix: 36) }

    /// Whether tokens can be bound.
    var isOffered: Bool { if case .none = mode { false } else { true } }

    private var usesNonces: Bool { if case .requiredWithNonces = mode { true } else { false } }

    /// The nonce in responses, for the next proof of the client; `nil` if no nonces are used.
    func nonce(_ role: Role) -> String? {
        guard usesNonces else { return nil }
        return nonces.withLock { role == .api ? $0.api : $0.tokenEndpoint }
    }

    /// Requires a new nonce from now on.
    func rotate(_ role: Role) {
        let next = Self.nonce(random)
        nonces.withLock { nonces in
            if role == .api { nonces.api = next } else { nonces.tokenEndpoint = next }
        }
    }

    /// Sets whether every proof is rejected because of its nonce, with the same nonce required again.
    func setStubborn(_ isStubborn: Bool) { nonces.withLock { $0.isStubborn = isStubborn } }

    /// The thumbprint of the key to bind a token to; `nil` for a bearer token.
    func atTokenEndpoint(_ request: EmbeddedGateway.Request) throws(TokenError) -> String? {
        if case .none = mode { return nil }
        let proofs = request.fields.values(for: "DPoP")
        if case .offered = mode, proofs.isEmpty { return nil }
        do throws(Failure) {
            return try check(proofs, request, .tokenEndpoint, token: nil)
        } catch {
            throw TokenError(
                error.code,
                error == .invalid ? "The proof is missing or wrong." : "The proof lacks the nonce.",
                nonce: error == .nonceNeeded ? nonce(.tokenEndpoint) : nil)
        }
    }

    /// Why a bound token is rejected; `nil` if it is accepted.
    func atAPI(_ request: EmbeddedGateway.Request, token: Substring, thumbprint: String) -> Failure? {
        do throws(Failure) {
            let proven = try check(request.fields.values(for: "DPoP"), request, .api, token: token)
            return proven == thumbprint ? nil : .invalid
        } catch { return error }
    }

    /// The twelve checks of RFC 9449 §4.3, with their numbers.
    private func check(
        _ proofs: [String], _ request: EmbeddedGateway.Request, _ role: Role, token: Substring?
    ) throws(Failure) -> String {
        // 1, 2: exactly one field with one JWT.
        guard proofs.count == 1, let text = proofs.first.map({ Secret($0) }),
            let claimed = try? JSONWebToken(decoding: text)
        else { throw .invalid }
        // 4, 5, 7: the type, an asymmetric algorithm, a public key.
        guard claimed.header["typ"] == "dpop+jwt", let name = claimed.header["alg"]?.string,
            let algorithm = JSONWebTokenAlgorithm(rawValue: name),
            JSONWebTokenAlgorithm.asymmetric.contains(algorithm),
            let members = claimed.header["jwk"]?.object, members["d"] == nil, members["k"] == nil,
            let key = try? JSONWebKey(.object(members)).key(for: algorithm)
        else { throw .invalid }
        // 6: the signature.
        guard
            let proof = try? JSONWebToken.verify(text, key: key, type: JSONWebTokenType("dpop+jwt"))
        else { throw .invalid }
        // 3, 8, 9: required claims, method and URL without query and fragment.
        guard let id = proof.id, let issued = proof.issuedAt?.components.seconds,
            proof.claims["htm"]?.string == request.method.rawValue,
            proof.claims["htu"]?.string == request.base + request.path
        else { throw .invalid }
        // 12 a: the hash of the access token.
        let hash = token.map { Base64.encodeURL(SHA256.digest($0.utf8)) }
        guard proof.claims["ath"]?.string == hash else { throw .invalid }
        // 11: the time of issue.
        let now = clock.unixTime.wholeSeconds
        guard abs(now - issued) <= Self.window, id.utf8.count <= 256 else { throw .invalid }
        // 10: the nonce.
        if let nonce = nonce(role) {
            guard proof.claims["nonce"]?.string == nonce, !nonces.withLock({ $0.isStubborn }) else {
                throw .nonceNeeded
            }
        }
        // §11.1: each proof is accepted once for its URL.
        guard replays.isNew("proof \(request.path) \(id)", until: issued + 2 * Self.window, now: now) else {
            throw .invalid
        }
        // 12 b: the caller compares the thumbprint.
        guard let thumbprint = Self.thumbprint(members) else { throw .invalid }
        return thumbprint
    }

    /// The thumbprint of a key (RFC 7638 §3).
    static func thumbprint(_ key: [String: JSONValue]) -> String? {
        let names: [String]
        switch key["kty"]?.string {
        case "EC": names = ["crv", "kty", "x", "y"]
        case "RSA": names = ["e", "kty", "n"]
        default: return nil
        }
        let members = names.compactMap { name in key[name]?.string.map { "\"\(name)\":\"\($0)\"" } }
        guard members.count == names.count else { return nil }
        return Base64.encodeURL(SHA256.digest("{\(members.joined(separator: ","))}".utf8))
    }
}
