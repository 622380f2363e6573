public import GatewayCore
public import GatewayJSON

/// A JSON Web Key for verifying signatures (RFC 7517, RFC 7518 §6): RSA, the elliptic curves P-256, P-384 and P-521, or
/// a shared secret.
///
/// Of key pairs only the public members are read. Certificates (`x5c`, `x5t`) are ignored, and `x5u` is never fetched.
public struct JSONWebKey: Sendable {
    /// The key type (RFC 7518 §6.1).
    public enum Kind: Hashable, Sendable {
        /// `RSA`.
        case rsa
        /// `EC`.
        case ellipticCurve
        /// `oct`: a shared secret, with which a verifier can also sign.
        case secret
    }

    /// The key type.
    public let kind: Kind
    /// `kid`: the identifier of the key.
    public let keyID: String?
    /// The algorithms that the key can be used with: the one in `alg`, otherwise all that match its type, size and
    /// curve.
    public let algorithms: [JSONWebTokenAlgorithm]
    /// Whether the JSON contained a private key.
    public let isPrivate: Bool

    /// One key for each of the algorithms.
    private let keys: [JSONWebTokenKey]

    /// Reads a key.
    ///
    /// - Parameter json: a JSON object. RSA keys must have 2048 to 8192 bits and an odd exponent of at least 3. Points
    ///   must be on their curve.
    /// - Throws: ``JSONWebKeyError``.
    public init(_ json: JSONValue) throws(JSONWebKeyError) {
        let reader = try JSONWebKeyReader(json)
        try reader.checkUse()
        keyID = try reader.text("kid")
        isPrivate = reader.isPrivate
        let named = try reader.algorithm()
        let material: Material
        switch try reader.requiredText("kty") {
        case "RSA":
            kind = .rsa
            material = .pem(try reader.rsa())
        case "EC":
            kind = .ellipticCurve
            material = .pem(try reader.point())
        case "oct":
            kind = .secret
            material = .secret(try reader.secret())
        default: throw JSONWebKeyError(.unsupported, "Keys of this type are not supported.")
        }
        var keys: [JSONWebTokenKey] = []
        for algorithm in named.map({ [$0] }) ?? JSONWebTokenAlgorithm.allCases {
            if let key = material.key(algorithm) { keys.append(key) }
        }
        guard !keys.isEmpty else {
            throw JSONWebKeyError(
                .unsuitable, "The key cannot be used with its algorithm, or lacks the strength or form.")
        }
        self.keys = keys
        algorithms = keys.map(\.algorithm)
    }

    /// Reads a key from the bytes of a JSON object.
    ///
    /// - Throws: ``JSONWebKeyError``. Duplicate members have the code `malformed`.
    public init(jsonBytes bytes: [UInt8]) throws(JSONWebKeyError) {
        let limits = JSONLimits(depth: 8, bytes: 64 << 10)
        guard let json = try? JSONValue(jsonBytes: bytes, limits: limits) else {
            throw JSONWebKeyError(.malformed, "The key is not JSON with unique members.")
        }
        try self.init(json)
    }

    /// The key for an algorithm; `nil` if it cannot be used with that algorithm.
    public func key(for algorithm: JSONWebTokenAlgorithm) -> JSONWebTokenKey? {
        keys.first { $0.algorithm == algorithm }
    }

    private enum Material {
        case pem(Secret)
        case secret([UInt8])

        func key(_ algorithm: JSONWebTokenAlgorithm) -> JSONWebTokenKey? {
            switch self {
            case .pem(let pem): try? JSONWebTokenKey(pem: pem, algorithm: algorithm)
            case .secret(let bytes): try? JSONWebTokenKey(secret: bytes, algorithm: algorithm)
            }
        }
    }
}

extension JSONWebKey: Redacted {
    /// The key type and the algorithms. Contains neither the key nor its identifier.
    public var description: String {
        "\(kind) key for " + algorithms.map(\.rawValue).joined(separator: ", ")
    }
}
