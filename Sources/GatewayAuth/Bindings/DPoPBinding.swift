public import GatewayCore
import GatewayDigest
import GatewayJSON

/// Binds tokens to a key that never leaves this process: each request proves that its sender has it (RFC 9449).
///
/// ```swift
/// let endpoint = try TokenEndpoint(
///     "https://login.example.com/token", client: client, binding: try DPoPBinding(), transport: transport)
/// ```
/// Token requests carry proofs, and so do the calls that carry the tokens. A stolen token is worth nothing without the
/// key; such a token is never sent as a bearer token.
///
/// A key that is made up here ends with the process, and so does what is bound to it: whoever keeps refresh tokens of a
/// public client in a store, or shares a store between processes, gives a key of his own (RFC 9449 §5). Tokens of
/// different keys are kept apart there.
public final class DPoPBinding: Sendable {
    /// Who demands nonces: the token endpoint and an API have their own, even at one origin (RFC 9449 §8.2, §9).
    enum Role: Hashable, Sendable { case tokenEndpoint, api }

    private struct Place: Hashable {
        let origin: Origin
        let role: Role
    }

    /// No more origins are remembered; one that is forgotten costs a request.
    private static let maximumPlaces = 256
    /// No longer nonce is taken.
    private static let maximumNonceBytes = 1024

    /// The key's thumbprint (RFC 7638), which the server writes into tokens (`jkt`, RFC 9449 §6.1).
    public let thumbprint: String
    /// What proofs are signed with.
    public var algorithm: JSONWebTokenAlgorithm { key.algorithm }

    private let key: JSONWebTokenKey
    private let header: [String: JSONValue]
    private let clock: any GatewayClock
    private let random: any RandomSource
    private let nonces = Locked<[Place: String]>([:])

    /// Binds to a key.
    ///
    /// - Parameters:
    ///   - key: a private key of the ES family; `nil` for one on P-256 that is made up here.
    ///   - clock: where `iat` comes from.
    ///   - random: where `jti` comes from.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` for any other key.
    public init(
        key: JSONWebTokenKey? = nil, clock: any GatewayClock = SystemClock(),
        random: any RandomSource = SystemRandomSource()
    ) throws(NetworkError) {
        let key = if let key { key } else { try CurveKey.generate() }
        let point = try CurveKey.publicPoint(of: key)
        self.key = key
        self.clock = clock
        self.random = random
        thumbprint = point.thumbprint
        header = [
            "typ": "dpop+jwt", "alg": .string(key.algorithm.rawValue),
            "jwk": [
                "kty": "EC", "crv": .string(point.curve), "x": .string(point.x), "y": .string(point.y),
            ],
        ]
    }

    // MARK: Proofs

    /// A proof for one request (RFC 9449 §4.2): every call makes another.
    ///
    /// - Parameters:
    ///   - target: path and query; the query is left out of the proof, and so is a fragment.
    ///   - accessToken: what the request carries; `nil` for a token request.
    func proof(
        method: HTTPMethod, origin: Origin, target: String, accessToken: Secret?, nonce: String?
    ) throws(NetworkError) -> Secret {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        var claims: [String: JSONValue] = [
            "jti": .string(RandomText.make(words: 2, from: random)), "htm": .string(method.rawValue),
            "htu": .string(origin.description + path),
            "iat": .number(JSONNumber(clock.unixTime.wholeSeconds)),
        ]
        if let accessToken {
            claims["ath"] = .string(Base64.encodeURL(SHA256.digest(accessToken.exposed.utf8)))
        }
        if let nonce { claims["nonce"] = .string(nonce) }
        guard let payload = try? claims.jsonBytes() else {
            throw NetworkError(.credentialMisconfigured, "The proof cannot be written as JSON.")
        }
        return try JSONWebToken.sign(header: header, payload: payload, key: key)
    }

    // MARK: Nonces

    /// What the next proof for an origin holds; `nil` where it has demanded nothing.
    func nonce(for origin: Origin, _ role: Role) -> String? {
        nonces.withLock { $0[Place(origin: origin, role: role)] }
    }

    /// Takes the nonce of an answer, whatever its status (RFC 9449 §8.2).
    func remember(_ fields: HTTPFields, from origin: Origin, _ role: Role) {
        guard let nonce = Self.nonce(in: fields) else { return }
        let place = Place(origin: origin, role: role)
        nonces.withLock { nonces in
            if nonces[place] == nil, nonces.count >= Self.maximumPlaces { nonces = [:] }
            nonces[place] = nonce
        }
    }

    /// The nonce of an answer (RFC 9449 §8.1): one field, of the characters that nonces have.
    static func nonce(in fields: HTTPFields) -> String? {
        let values = fields.values(for: .dpopNonce)
        guard values.count == 1, let nonce = values.first, !nonce.isEmpty,
            nonce.utf8.count <= maximumNonceBytes,
            nonce.utf8.allSatisfy({
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            })
        else { return nil }
        return nonce
    }
}

extension DPoPBinding: Redacted {
    /// The algorithm; neither key nor nonces.
    public var description: String { "binding to a key of \(algorithm.rawValue)" }
}

extension HTTPField.Name {
    /// `DPoP` (RFC 9449 §4.1).
    static let dpop = Self("DPoP")
    /// `DPoP-Nonce` (RFC 9449 §8.1).
    static let dpopNonce = Self("DPoP-Nonce")
}
