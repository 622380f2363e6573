import GatewayDigest

extension TokenKey {
    /// The SHA-256 of the canonical text in hexadecimal digits: a name for a file or an entry that tells nobody whose
    /// it is.
    package var digest: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: SHA256.digest(canonical.utf8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
