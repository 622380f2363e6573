public import GatewayCore
import GatewayDigest
import GatewayJSON

/// Binds tokens to a private key: each request has a proof of possession of the key (DPoP, RFC 9449).
///
/// ```swift
/// let endpoint = try TokenEndpoint(
///     "https://login.example.com/token", client: client, binding: try DPoPBinding(), transport: transport)
/// ```
/// Token requests carry proofs, and so do the calls that carry the tokens. A stolen token cannot be used without the
/// key, and a bound token is never sent as a bearer token.
///
/// A generated key exists only in this process, and tokens that are bound to it cannot be used after the process ends.
/// Pass your own key if refresh tokens of a public client are kept in a store, or if processes share a store (RFC 9449
/// §5). A store keeps tokens of different keys separately.
public final class DPoPBinding: Sendable {
    /// The kind of server that requires nonces. The token endpoint and an API have separate nonces, even at the same
    /// origin (RFC 9449 §8.2, §9).
    enum Role: Hashable, Sendable { case tokenEndpoint, api }

    private struct Place: Hashable {
        let origin: Origin
        let role: Role
    }

    /// The maximum number of nonces that are kept. When it is exceeded, all are dropped; a dropped nonce costs one
    /// request.
    private static let maximumPlaces = 256
    /// The maximum size of a nonce in bytes. Longer ones are ignored.
    private static let maximumNonceBytes = 1024

    /// The thumbprint of the key (RFC 7638), which the server includes in tokens as `jkt` (RFC 9449 §6.1).
    public let thumbprint: String
    /// The signature algorithm of the proofs.
    public var algorithm: JSONWebTokenAlgorithm { key.algorithm }

    private let key: JSONWebTokenKey
    private let header: [String: JSONValue]
    private let clock: any GatewayClock
    private let random: any RandomSource
    private let nonces = Locked<[Place: String]>([:])

    /// Creates a binding to a key.
    ///
    /// - Parameters:
    ///   - key: a private key for an ES algorithm; `nil` generates one on P-256.
    ///   - clock: the source of `iat`.
    ///   - random: the source of `jti`.
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

    /// Creates a proof for one request (RFC 9449 §4.2). Each call returns a different proof.
    ///
    /// - Parameters:
    ///   - target: path and query. The proof contains neither query nor fragment.
    ///   - accessToken: the access token of the request; `nil` for a token request.
    func proof(
        method: HTTPMethod, origin: Origin, target: String, accessToken: Secret?, nonce: String?
    ) throws(NetworkError) -> Secret {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        var claims: [String: JSONValue] = [
            "jti": .string(Base64.encodeURL(random.bytes(words: 2))), "htm": .string(method.rawValue),
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

    /// The nonce for the next proof to an origin; `nil` if the origin has not sent one.
    func nonce(for origin: Origin, _ role: Role) -> String? {
        nonces.withLock { $0[Place(origin: origin, role: role)] }
    }

    /// Stores the nonce of a response with any status (RFC 9449 §8.2).
    func remember(_ fields: HTTPFields, from origin: Origin, _ role: Role) {
        guard let nonce = Self.nonce(in: fields) else { return }
        let place = Place(origin: origin, role: role)
        nonces.withLock { nonces in
            if nonces[place] == nil, nonces.count >= Self.maximumPlaces { nonces = [:] }
            nonces[place] = nonce
        }
    }

    /// The nonce of a response (RFC 9449 §8.1); `nil` unless there is exactly one field with only allowed characters.
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
    /// The algorithm, without key and nonces.
    public var description: String { "binding to a key of \(algorithm.rawValue)" }
}

extension HTTPField.Name {
    /// `DPoP` (RFC 9449 §4.1).
    static let dpop = Self("DPoP")
    /// `DPoP-Nonce` (RFC 9449 §8.1).
    static let dpopNonce = Self("DPoP-Nonce")
}
