import GatewayCore
import GatewayDigest

extension TokenKey {
    /// The SHA-256 of the canonical text in hexadecimal digits: a name for a file or an entry that does not reveal the
    /// key.
    package var digest: String { SHA256.digest(canonical.utf8).hexadecimal }
}
