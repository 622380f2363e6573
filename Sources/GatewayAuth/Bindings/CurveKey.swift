import CLibcrypto
import GatewayCore
import GatewayDigest

/// Generates elliptic-curve keys and reads their public keys.
enum CurveKey {
    /// A public key as in JSON Web Keys (RFC 7518 §6.2.1).
    struct Point {
        let curve: String
        let x: String
        let y: String

        /// The thumbprint of the key: a hash of the required members in lexicographic order (RFC 7638 §3.2).
        var thumbprint: String {
            Base64.encodeURL(
                SHA256.digest(#"{"crv":"\#(curve)","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8))
        }
    }

    /// Generates a private key on P-256, for ES256.
    static func generate() throws(NetworkError) -> JSONWebTokenKey {
        Libcrypto.prepare()
        let failure = NetworkError(.credentialMisconfigured, "No key could be made.")
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw failure }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
            unsafe EVP_PKEY_generate(context, &pointer) == 1, let pair = unsafe pointer
        else { throw failure }
        defer { unsafe EVP_PKEY_free(pair) }
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw failure }
        defer { unsafe BIO_free(bio) }
        guard unsafe PEM_write_bio_PrivateKey(bio, pair, nil, nil, 0, nil, nil) == 1 else { throw failure }
        var text = [UInt8](repeating: 0, count: 4096)
        let count = unsafe BIO_read(bio, &text, Int32(text.count))
        guard count > 0 else { throw failure }
        return try JSONWebTokenKey(
            pem: Secret(String(decoding: text[..<Int(count)], as: UTF8.self)), algorithm: .es256)
    }

    /// The public key of a private key.
    static func publicPoint(of key: JSONWebTokenKey) throws(NetworkError) -> Point {
        guard key.canSign, let pair = key.pair, let width = key.algorithm.coordinateBytes,
            let curve = key.algorithm.curve
        else {
            throw NetworkError(
                .credentialMisconfigured, "DPoP needs an elliptic-curve private key (ES256, ES384 or ES512).")
        }
        defer { ERR_clear_error() }
        // Uncompressed form: the byte 4, then both coordinates in full length (SEC 1 §2.3.3).
        let point = pair.withPointer { pair -> [UInt8] in
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = unsafe EVP_PKEY_get1_encoded_public_key(pair, &bytes)
            guard let start = unsafe bytes else { return [] }
            defer { unsafe CRYPTO_free(start, nil, 0) }
            return unsafe Array(UnsafeBufferPointer(start: start, count: count))
        }
        guard point.count == 1 + 2 * width, point.first == 4 else {
            throw NetworkError(.credentialMisconfigured, "The key's public half is not on its curve.")
        }
        return Point(
            curve: curve, x: Base64.encodeURL(point[1...width]), y: Base64.encodeURL(point[(width + 1)...]))
    }
}

extension JSONWebTokenAlgorithm {
    /// `crv` (RFC 7518 §6.2.1.1).
    fileprivate var curve: String? {
        switch self {
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        default: nil
        }
    }
}
