import CLibcrypto

extension TokenKey {
    /// The SHA-256 of the canonical text in hexadecimal digits: a name for a file or an entry that tells nobody whose
    /// it is.
    package var digest: String {
        let text = Array(canonical.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        _ = unsafe EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
