public import GatewayCore
public import GatewayJSON

/// A key to verify with, as JSON (RFC 7517, RFC 7518 §6): RSA, elliptic curves P-256, P-384 and P-521, or a shared
/// secret.
///
/// Only the public members are read; private ones never leave the JSON. Certificates (`x5c`, `x5t`) are not looked at
/// and `x5u` is never fetched.
public struct JSONWebKey: Sendable {
    /// What a key is made of (RFC 7518 §6.1).
    public enum Kind: Hashable, Sendable {
        /// `RSA`.
        case rsa
        /// `EC`.
        case ellipticCurve
        /// `oct`: a secret that whoever verifies with it could sign with.
        case secret
    }

    /// What the key is made of.
    public let kind: Kind
    /// `kid`: the key's name among its issuer's.
    public let keyID: String?
    /// The algorithms that the key may be used with: the one of `alg`, or else all that suit its kind, size and curve.
    public let algorithms: [JSONWebTokenAlgorithm]
    /// Whether the JSON held a private key.
    public let isPrivate: Bool

    /// One key for each of the algorithms.
    private let keys: [JSONWebTokenKey]

    /// Reads a key.
    ///
    /// - Parameter json: a JSON object. RSA keys have 2048 to 8192 bits and an odd exponent from 3 on; points lie on
    ///   their curve.
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
    /// - Throws: ``JSONWebKeyError``; `malformed` also where a member occurs twice.
    public init(jsonBytes bytes: [UInt8]) throws(JSONWebKeyError) {
        let limits = JSONLimits(depth: 8, bytes: 64 << 10)
        guard let json = try? JSONValue(jsonBytes: bytes, limits: limits) else {
            throw JSONWebKeyError(.malformed, "The key is not JSON with unique members.")
        }
        try self.init(json)
    }

    /// The key bound to an algorithm; `nil` where it may not be used with that one.
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
    /// The kind and the algorithms; neither the key nor its name.
    public var description: String {
        "\(kind) key for " + algorithms.map(\.rawValue).joined(separator: ", ")
    }
}
