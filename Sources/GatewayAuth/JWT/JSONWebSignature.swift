import CLibcrypto
import GatewayCore

/// Signatures (RFC 7518 §3) with libcrypto. Why: libjwt 1 supports only `typ` `JWT`, and rejects a valid signature if
/// it cannot read a number in the claims.
enum JSONWebSignature {
    /// Signs bytes; `nil` if the key cannot sign.
    static func make(_ bytes: [UInt8], key: JSONWebTokenKey) -> [UInt8]? {
        guard key.canSign else { return nil }
        defer { ERR_clear_error() }
        if key.algorithm.family == .hmac { return code(bytes, key) }
        let signed = key.pair?.withPointer { pair -> [UInt8]? in
            guard let context = unsafe EVP_MD_CTX_new() else { return nil }
            defer { unsafe EVP_MD_CTX_free(context) }
            var length = 0
            guard unsafe EVP_DigestSignInit(context, nil, key.algorithm.digest, nil, pair) == 1,
                unsafe EVP_DigestSign(context, nil, &length, bytes, bytes.count) == 1
            else { return nil }
            var signature = [UInt8](repeating: 0, count: length)
            guard unsafe EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1 else {
                return nil
            }
            return Array(signature[..<length])
        }
        guard let signature = signed ?? nil else { return nil }
        guard let width = key.algorithm.coordinateBytes else { return signature }
        return DER.integers(signature, width: width).map { $0.first + $0.second }
    }

    /// Verifies a signature with a key.
    static func check(_ signature: [UInt8], of bytes: [UInt8], key: JSONWebTokenKey) -> Bool {
        guard key.canVerify else { return false }
        defer { ERR_clear_error() }
        if key.algorithm.family == .hmac {
            guard let expected = code(bytes, key), expected.count == signature.count else { return false }
            return unsafe CRYPTO_memcmp(expected, signature, expected.count) == 0
        }
        var signature = signature
        if let width = key.algorithm.coordinateBytes {
            // Both integers in full length, with leading zeros (RFC 7518 §3.4).
            guard signature.count == 2 * width else { return false }
            signature = DER.sequence([
                DER.integer(signature[..<width]), DER.integer(signature[width...]),
            ])
        }
        return key.pair?.withPointer { open in
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            return unsafe EVP_DigestVerifyInit(context, nil, key.algorithm.digest, nil, open) == 1
                && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
        } ?? false
    }

    private static func code(_ bytes: [UInt8], _ key: JSONWebTokenKey) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 64)
        var length = 0
        guard
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, key.algorithm.digestName, nil, key.material, key.material.count, bytes,
                bytes.count, &code, code.count, &length) != nil
        else { return nil }
        return Array(code[..<length])
    }
}

extension JSONWebTokenAlgorithm {
    fileprivate var digest: OpaquePointer? {
        switch self {
        case .hs256, .rs256, .es256: unsafe EVP_sha256()
        case .hs384, .rs384, .es384: unsafe EVP_sha384()
        case .hs512, .rs512, .es512: unsafe EVP_sha512()
        }
    }

    fileprivate var digestName: String {
        switch self {
        case .hs256, .rs256, .es256: "SHA256"
        case .hs384, .rs384, .es384: "SHA384"
        case .hs512, .rs512, .es512: "SHA512"
        }
    }
}
