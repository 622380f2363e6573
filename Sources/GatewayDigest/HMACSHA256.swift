import CLibcrypto

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1) by libcrypto.
package enum HMACSHA256 {
    /// The code of bytes under a key: 32 bytes; `nil` where libcrypto cannot make it.
    package static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        Libcrypto.prepare()
        defer { ERR_clear_error() }
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        guard
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key, key.count, bytes, bytes.count, &code, code.count,
                &length)
                != nil, length == 32
        else { return nil }
        return code
    }

    /// Whether two codes are the same, in a time that depends on their lengths alone.
    package static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        return unsafe CRYPTO_memcmp(first, second, first.count) == 0
    }
}
