package import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Notes the secrets that a run of the project's own tests uses, so that its whole output can be searched for them
/// (`scripts/check-secrets.sh`).
///
/// The environment variable `GATEWAY_TEST_SECRETS` names the file, one line for each secret: its kind, a tab, its
/// bytes in hexadecimal. Without it nothing is noted, and nothing costs anything.
package enum SecretLedger {
    /// What a secret is, as a finding names it.
    package enum Kind: String, Sendable {
        case accessToken = "access token"
        case refreshToken = "refresh token"
        case idToken = "ID token"
        case clientSecret = "client secret"
        case assertion
        case privateKey = "private key"
        case content
    }

    /// What is shorter may stand anywhere by chance.
    private static let shortest = 16

    /// Opened once, for appending: a line is one write, and lines of several processes do not mix. A run that cannot note its
    /// secrets must not pass: nobody would search for them.
    private static let file: Int32? = {
        guard let path = unsafe getenv("GATEWAY_TEST_SECRETS") else { return nil }
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        precondition(file >= 0, "GATEWAY_TEST_SECRETS cannot be opened: errno \(errno)")
        return file
    }()

    /// Notes a secret that is in use from now on.
    package static func note(_ secret: Secret, _ kind: Kind) {
        guard let file, secret.exposed.utf8.count >= shortest else { return }
        let digits = Array("0123456789abcdef".utf8)
        var line = Array((kind.rawValue + "\t").utf8)
        for byte in secret.exposed.utf8 { line += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        line.append(UInt8(ascii: "\n"))
        let count = unsafe line.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        precondition(count == line.count, "GATEWAY_TEST_SECRETS cannot be written: errno \(errno)")
    }
}
