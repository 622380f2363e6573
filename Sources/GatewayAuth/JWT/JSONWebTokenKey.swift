public import GatewayCore
import GatewayDigest

/// A key for exactly one algorithm, validated when it is created.
///
/// Why: a public RSA key can then never be used as an HMAC secret, and a token cannot select its own algorithm (RFC
/// 8725 §3.1).
public struct JSONWebTokenKey: Sendable {
    /// The only algorithm that the key can be used with.
    public let algorithm: JSONWebTokenAlgorithm
    /// Whether the key can sign: an HMAC secret or a private key.
    public let canSign: Bool

    /// Whether the key can verify: an HMAC secret or a public key.
    var canVerify: Bool { algorithm.family == .hmac || !canSign }

    /// The bytes of the HMAC secret or of the PEM text.
    let material: [UInt8]
    /// The key in the PEM text; `nil` for an HMAC secret.
    let pair: PEMKey?

    /// Creates an HMAC key.
    ///
    /// - Parameters:
    ///   - secret: at least as many bytes as the hash: 32, 48 or 64 (RFC 7518 §3.2).
    ///   - algorithm: one of the HS algorithms.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` if the secret is too short, too long
    ///   or a PEM text, or the algorithm is not an HS algorithm.
    public init(secret: [UInt8], algorithm: JSONWebTokenAlgorithm = .hs256) throws(NetworkError) {
        Libcrypto.prepare()
        guard algorithm.family == .hmac else {
            throw Self.misfit("\(algorithm.rawValue) needs a PEM key, not a shared secret.")
        }
        guard secret.count >= algorithm.minimumSecretBytes else {
            throw Self.misfit(
                "\(algorithm.rawValue) needs a secret of at least \(algorithm.minimumSecretBytes) bytes.")
        }
        guard secret.count <= Self.longestMaterial else { throw Self.misfit("The secret is too long.") }
        // An HMAC with the PEM text of a public key is the result of algorithm confusion.
        guard !secret.contains(Array("-----BEGIN".utf8)) else {
            throw Self.misfit("A PEM text cannot be a shared secret.")
        }
        self.algorithm = algorithm
        canSign = true
        material = secret
        pair = nil
    }

    /// Creates an RSA or elliptic-curve key from PEM text: a private key for signing, a public key for verifying.
    ///
    /// - Parameters:
    ///   - pem: the key, not encrypted. RSA keys must have at least 2048 bits (RFC 7518 §3.3); elliptic-curve keys must
    ///     use the curve of the algorithm.
    ///   - algorithm: one of the RS and ES algorithms.
    /// - Throws: ``GatewayCore/NetworkError`` with code `credentialMisconfigured` if the key cannot be read, is
    ///   encrypted, or does not match the algorithm.
    public init(pem: Secret, algorithm: JSONWebTokenAlgorithm) throws(NetworkError) {
        guard algorithm.family != .hmac else {
            throw Self.misfit("\(algorithm.rawValue) needs a shared secret, not a PEM key.")
        }
        let text = pem.exposed
        guard text.utf8.count <= Self.longestMaterial else { throw Self.misfit("The PEM text is too long.") }
        // libjwt would block and ask for a passphrase on the terminal.
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

    /// The maximum size of key material in bytes. An RSA key of 16,384 bits has about 13 KiB of PEM text.
    private static let longestMaterial = 16 << 10

    private static func misfit(_ message: String) -> NetworkError {
        NetworkError(.credentialMisconfigured, message)
    }
}

extension JSONWebTokenKey: Redacted {
    /// The algorithm and what the key can do. Never contains the key.
    public var description: String { "\(algorithm.rawValue) key (\(canSign ? "signs" : "verifies"))" }
}
