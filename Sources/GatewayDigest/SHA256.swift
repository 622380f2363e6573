import CLibcrypto

/// SHA-256 (FIPS 180-4) by libcrypto.
package enum SHA256 {
    /// The digest of bytes: 32 bytes.
    package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Libcrypto.prepare()
        let bytes = Array(bytes)
        var digest = [UInt8](repeating: 0, count: 32)
        _ = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }
}
