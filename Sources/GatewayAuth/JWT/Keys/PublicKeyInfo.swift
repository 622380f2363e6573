import GatewayCore

/// Encodes public keys as `SubjectPublicKeyInfo` (RFC 5280 §4.1.2.7) in PEM text (RFC 7468 §13), for libjwt and
/// libcrypto.
enum PublicKeyInfo {
    /// The curves of RFC 7518 §6.2.1.1.
    enum Curve: String {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        var coordinateBytes: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }

        /// The encoded object identifier of the curve (RFC 5480 §2.1.1.1).
        fileprivate var identifier: [UInt8] {
            switch self {
            case .p256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
            case .p384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
            case .p521: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
            }
        }
    }

    /// The encoded `rsaEncryption` identifier (RFC 3279 §2.3.1) with NULL parameters.
    private static let rsaAlgorithm = DER.sequence([
        [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], [0x05, 0x00],
    ])
    /// The encoded `id-ecPublicKey` identifier (RFC 5480 §2.1.1).
    private static let ellipticCurveKey: [UInt8] = [
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
    ]

    /// Encodes an RSA key.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> Secret {
        let key = DER.sequence([DER.integer(modulus), DER.integer(exponent)])
        return pem(DER.sequence([rsaAlgorithm, DER.bitString(key)]))
    }

    /// Encodes an uncompressed point (SEC 1 §2.3.3).
    static func point(_ curve: Curve, x: [UInt8], y: [UInt8]) -> Secret {
        let algorithm = DER.sequence([ellipticCurveKey, curve.identifier])
        return pem(DER.sequence([algorithm, DER.bitString([0x04] + x + y)]))
    }

    private static func pem(_ der: [UInt8]) -> Secret {
        let text = Array(Base64.encode(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self) + "\n"
        }
        return Secret("-----BEGIN PUBLIC KEY-----\n\(lines.joined())-----END PUBLIC KEY-----\n")
    }
}
