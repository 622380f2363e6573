import GatewayCore
import Testing

@testable import GatewayAuth

/// What an authorization server says about an error, as it is shown.
@Suite struct ServerStatementTests {
    private func text(_ error: String?, _ description: String?, _ secrets: String...) -> String? {
        ServerStatement(error: error, description: description, secrets: secrets.map { Secret($0) }).text
    }

    @Test func codeAndDescription() {
        #expect(text("invalid_grant", "Token is revoked") == #"invalid_grant ("Token is revoked")"#)
        #expect(text("invalid_grant", nil) == "invalid_grant")
        #expect(text(nil, "Go away") == #"("Go away")"#)
        #expect(text(nil, nil) == nil)
        #expect(text("", " \n") == nil)
    }

    @Test(arguments: [
        ("a \"b\" \\c", "a 'b' ?c"), ("one\r\n\ttwo", "one two"), ("\u{1B}[31mred\u{7}", "?[31mred?"),
        ("Schlüssel ungültig", "Schl?ssel ung?ltig"), ("\u{202E}abc", "?abc"), ("日本語 v1", "? v1"),
    ])
    func safeCharacters(_ given: String, _ shown: String) {
        #expect(ServerStatement(error: nil, description: given, secrets: []).explanation == shown)
    }

    @Test func nothingReadable() { #expect(text("…", "日本語") == nil) }

    @Test func limits() throws {
        let long = String(repeating: "word ", count: 100_000)
        let statement = ServerStatement(error: long, description: long, secrets: [])
        #expect(try #require(statement.code).count == 64)
        #expect(try #require(statement.explanation).count == 200)
    }

    private static let secret = "tGzv3JOkF0XG5Qx2TlKWIA/+="

    @Test(arguments: [
        secret, secret.lowercased(), "tGzv3JOkF0XG5Qx2TlKWIA%2F%2B%3D", "token tGzv3JOk...", "…5Qx2TlKW…",
        "t-G-z-v-3-J-O-k-F-0-X-G", "tGzv3\u{0}JOkF0XG5", "xxtGzv3JOkF0XG5Qx2TlKWIAxx",
    ])
    func repeatedSecrets(_ echo: String) {
        let statement = ServerStatement(
            error: "invalid_grant", description: "unknown: \(echo)", secrets: [Secret(Self.secret)])
        #expect(statement.explanation == nil && statement.isRedacted)
        #expect(statement.text == "invalid_grant (text left out: it repeats a secret)")
        #expect(ServerStatement(error: echo, description: nil, secrets: [Secret(Self.secret)]).code == nil)
    }

    @Test func secretsBehindTheLimit() {
        let padding = String(repeating: "word ", count: 39)
        let cut = ServerStatement(
            error: nil, description: padding + Self.secret, secrets: [Secret(Self.secret)])
        #expect(cut.explanation == nil && cut.isRedacted)
    }

    @Test func shortSecrets() {
        for echo in ["hunter2", "HUNTER2", "h.u.n.t", "unter", "ter2"] {
            #expect(text("invalid_client", "bad password \(echo)", "hunter2")?.contains("password") == false)
        }
        #expect(text("invalid_client", "bad hun", "hunter2") == #"invalid_client ("bad hun")"#)
        #expect(text("invalid_client", "bad r3fr3s", "r3fr3sh-0")?.contains("bad") == false)
        #expect(text("invalid_client", "bad ab1", "ab1")?.contains("bad") == false)
        #expect(text("invalid_client", "bad ab", "ab1") == #"invalid_client ("bad ab")"#)
        #expect(text("invalid_client", nil, "client-secret") == "invalid_client")
        // A word that a secret has in common with any message tells nothing, unless it is the whole secret.
        let message = "The client or its secret is wrong."
        for secret in ["bookshop-secret", "client-secret-1", "service-secret"] {
            #expect(text(nil, message, secret) == "(\"\(message)\")")
            #expect(text(nil, message + secret, secret)?.contains("wrong") == false)
        }
        #expect(text(nil, message, "secret")?.contains("wrong") == false)
        // A secret without letters and digits, or none, matches nothing.
        #expect(text("invalid_client", "bad secret", "", "--") == #"invalid_client ("bad secret")"#)
    }
}
