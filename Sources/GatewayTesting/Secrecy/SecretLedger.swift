package import GatewayCore
private import GatewayLibC

/// Records the secrets that a run of the project's own tests uses, so that its whole output can be searched for them
/// (`scripts/check-secrets.sh`).
///
/// The environment variable `GATEWAY_TEST_SECRETS` is the path of the file. It has one line for each secret: the kind,
/// a tab, the bytes in hexadecimal. Without the variable nothing is recorded.
package enum SecretLedger {
    /// The kind of a secret, for findings.
    package enum Kind: String, Sendable {
        case accessToken = "access token"
        case refreshToken = "refresh token"
        case idToken = "ID token"
        case clientSecret = "client secret"
        case assertion
        case privateKey = "private key"
        case content
    }

    /// The minimum length in bytes. Shorter texts may occur by chance.
    private static let shortest = 16

    /// The file, opened once for appending. Each line is a single write, so that lines of several processes do not mix.
    /// If the file cannot be opened, the run fails, because its secrets could not be searched for.
    private static let file: Int32? = {
        guard let path = unsafe getenv("GATEWAY_TEST_SECRETS") else { return nil }
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        precondition(file >= 0, "GATEWAY_TEST_SECRETS cannot be opened: errno \(errno)")
        return file
    }()

    /// Records a secret that is used from now on.
    package static func note(_ secret: Secret, _ kind: Kind) {
        guard let file, secret.exposed.utf8.count >= shortest else { return }
        let line = Array("\(kind.rawValue)\t\(Array(secret.exposed.utf8).hexadecimal)\n".utf8)
        let count = unsafe line.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        precondition(count == line.count, "GATEWAY_TEST_SECRETS cannot be written: errno \(errno)")
    }
}
