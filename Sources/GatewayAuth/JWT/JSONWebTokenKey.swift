public import GatewayCore

/// A key bound to one algorithm, checked when it is made.
///
/// Binding the two closes the door on confusing them: a public RSA key is never taken for an HMAC secret, and a
/// token is never allowed to choose its own algorithm (RFC 8725 §3.1).
public struct JSONWebTokenKey: Sendable {
    /// The only algorithm this key is used with.
    public let algorithm: JSONWebTokenAlgorithm
    /// Whether the key can sign, or only verify.
    public let canSign: Bool

    /// Whether the key can verify: a shared secret, or the public half of a pair.
    var canVerify: Bool { algorithm.family == .hmac || !canSign }

    /// The HMAC secret's bytes or the PEM text's.
    let material: [UInt8]
    /// What the PEM text holds; `nil` for an HMAC secret.
    let pair: PEMKey?

    /// Makes an HMAC key.
    ///
    /// - Parameters:
    ///   - secret: at least as many bytes as the hash has: 32, 48 or 64 (RFC 7518 §3.2).
    ///   - algorithm: one of the HS family.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` for a key that is too short,
    ///   is a PEM text, or belongs to another family.
    public init(secret: [UInt8], algorithm: JSONWebTokenAlgorithm = .hs256) throws(NetworkError) {
        guard algorithm.family == .hmac else {
            throw Self.misfit("\(algorithm.rawValue) needs a PEM key, not a shared secret.")
        }
        guard secret.count >= algorithm.minimumSecretBytes else {
            throw Self.misfit(
                "\(algorithm.rawValue) needs a secret of at least \(algorithm.minimumSecretBytes) bytes.")
        }
        guard secret.count <= Self.longestMaterial else { throw Self.misfit("The secret is too long.") }
        // An HMAC over a public key's PEM text is what algorithm confusion produces.
        guard !secret.contains(Array("-----BEGIN".utf8)) else {
            throw Self.misfit("A PEM text cannot be a shared secret.")
        }
        self.algorithm = algorithm
        canSign = true
        material = secret
        pair = nil
    }

    /// Makes an RSA or elliptic-curve key from PEM text: a private key to sign, a public key to verify.
    ///
    /// - Parameters:
    ///   - pem: the key, not encrypted. RSA keys have 2048 bits or more (RFC 7518 §3.3), elliptic-curve keys lie
    ///     on the very curve that the algorithm names.
    ///   - algorithm: one of the RS and ES families.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` for a key that cannot be read,
    ///   is encrypted, or does not suit the algorithm.
    public init(pem: Secret, algorithm: JSONWebTokenAlgorithm) throws(NetworkError) {
        guard algorithm.family != .hmac else {
            throw Self.misfit("\(algorithm.rawValue) needs a shared secret, not a PEM key.")
        }
        let text = pem.exposed
        guard text.utf8.count <= Self.longestMaterial else { throw Self.misfit("The PEM text is too long.") }
        // libjwt would prompt for a passphrase on the terminal, and block.
        guard !text.contains("ENCRYPTED") else {
            throw Self.misfit("The PEM key is encrypted: decrypt it first.")
        }
        let key = try PEMKey(text)
        switch algorithm.family {
        case .rsa:
            guard key.kind == .rsa else { throw Self.misfit("\(algorithm.rawValue) needs an RSA key.") }
            guard key.bits >= 2048 else { throw Self.misfit("The RSA key has fewer than 2048 bits.") }
        case .ellipticCurve:
            guard key.kind == .ellipticCurve, key.curve == algorithm.curveName else {
                throw Self.misfit("\(algorithm.rawValue) needs a key on another curve.")
            }
        case .hmac: break
        }
        self.algorithm = algorithm
        canSign = key.isPrivate
        material = Array(text.utf8)
        pair = key
    }

    /// No key is longer: an RSA key of 16,384 bits has about 13 KiB of PEM text.
    private static let longestMaterial = 16 << 10

    private static func misfit(_ message: String) -> NetworkError {
        NetworkError(.credentialMisconfigured, message)
    }
}

extension JSONWebTokenKey: Redacted {
    /// The algorithm and what the key can do; never the key.
    public var description: String { "\(algorithm.rawValue) key (\(canSign ? "signs" : "verifies"))" }
}
