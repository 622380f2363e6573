import CLibjwt

/// A signature algorithm of JSON Web Signature (RFC 7518 §3.1) that libjwt 1 supports.
///
/// `none` is not supported.
public enum JSONWebTokenAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// HMAC with SHA-384.
    case hs384 = "HS384"
    /// HMAC with SHA-512.
    case hs512 = "HS512"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// ECDSA with P-384 and SHA-384.
    case es384 = "ES384"
    /// ECDSA with P-521 and SHA-512.
    case es512 = "ES512"

    /// The algorithms with public keys: a verifier cannot sign.
    public static let asymmetric: Set<JSONWebTokenAlgorithm> = [
        .rs256, .rs384, .rs512, .es256, .es384, .es512,
    ]

    /// The kind of key for the algorithm.
    enum Family { case hmac, rsa, ellipticCurve }

    var family: Family {
        switch self {
        case .hs256, .hs384, .hs512: .hmac
        case .rs256, .rs384, .rs512: .rsa
        case .es256, .es384, .es512: .ellipticCurve
        }
    }

    /// The minimum size of an HMAC key in bytes, which is the size of the hash (RFC 7518 §3.2).
    var minimumSecretBytes: Int {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        default: 1
        }
    }

    /// OpenSSL's name of the curve that the algorithm requires (RFC 7518 §3.4).
    var curveName: String? {
        switch self {
        case .es256: "prime256v1"
        case .es384: "secp384r1"
        case .es512: "secp521r1"
        default: nil
        }
    }

    /// The size in bytes of a coordinate and of half a signature (RFC 7518 §3.4, §6.2.1.2).
    var coordinateBytes: Int? {
        switch self {
        case .es256: 32
        case .es384: 48
        case .es512: 66
        default: nil
        }
    }

    var libjwt: jwt_alg_t {
        switch self {
        case .hs256: JWT_ALG_HS256
        case .hs384: JWT_ALG_HS384
        case .hs512: JWT_ALG_HS512
        case .rs256: JWT_ALG_RS256
        case .rs384: JWT_ALG_RS384
        case .rs512: JWT_ALG_RS512
        case .es256: JWT_ALG_ES256
        case .es384: JWT_ALG_ES384
        case .es512: JWT_ALG_ES512
        }
    }
}
