import GatewayCore

/// The error of an authorization server: `error` and `error_description` (RFC 6749 §5.2), reduced to text that may be
/// shown.
///
/// Both are limited to the characters that RFC 6749 allows and to a maximum length. A server may repeat parts of the
/// request, so a text that contains a part of a secret is omitted; see ``EchoFilter``. `error_uri` is never shown.
struct ServerStatement: Sendable, Hashable {
    /// The maximum length of the code and of the description, in characters.
    static let (maximumCode, maximumDescription) = (64, 200)

    /// The codes of RFC 6749, 7009, 8628, 8707 and 9449 and of OpenID Connect. They cannot contain a secret.
    static let registeredCodes: Set<String> = [
        "access_denied", "authorization_pending", "consent_required", "expired_token", "interaction_required",
        "invalid_client", "invalid_dpop_proof", "invalid_grant", "invalid_request", "invalid_scope",
        "invalid_target",
        "invalid_token", "login_required", "server_error", "slow_down", "temporarily_unavailable",
        "unauthorized_client",
        "unsupported_grant_type", "unsupported_response_type", "unsupported_token_type", "use_dpop_nonce",
    ]

    /// The code; `nil` if the server sent none that may be shown.
    let code: String?
    /// The description; `nil` if the server sent none that may be shown.
    let explanation: String?
    /// Whether a part was omitted because it repeats a secret.
    let isRedacted: Bool

    /// Creates a statement.
    ///
    /// - Parameters:
    ///   - error: the value of `error`.
    ///   - description: the value of `error_description`.
    ///   - secrets: the secrets that must not be shown: tokens, codes, assertions, passwords.
    init(error: String?, description: String?, secrets: [Secret]) {
        let echo = EchoFilter(secrets)
        let (code, description) = (error.flatMap(Self.readable), description.flatMap(Self.readable))
        let (isCodeSafe, isDescriptionSafe) = (
            code.map { Self.registeredCodes.contains($0) || !echo.matches($0) } ?? true,
            description.map { !echo.matches($0) } ?? true
        )
        self.code = isCodeSafe ? code.map { Self.limited($0, to: Self.maximumCode) } : nil
        explanation =
            isDescriptionSafe ? description.map { Self.limited($0, to: Self.maximumDescription) } : nil
        isRedacted = !isCodeSafe || !isDescriptionSafe
    }

    /// Text for a message: `invalid_grant ("Token is revoked")`; `nil` if nothing may be shown.
    var text: String? {
        let note = isRedacted ? "(text left out: it repeats a secret)" : nil
        let parts = [code, explanation.map { "(\"\($0)\")" }, note].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// The text with only the characters that RFC 6749 §5.2 allows: printable ASCII without `"` and `\`. `nil` if no
    /// letter or digit remains. At most 1,024 characters are read.
    private static func readable(_ text: String) -> String? {
        var readable: [UInt8] = []
        var isWord = false
        for scalar in text.unicodeScalars.prefix(1024) {
            let byte: UInt8 =
                switch scalar {
                case "\"": UInt8(ascii: "'")
                case "\t", "\n", "\r": UInt8(ascii: " ")
                case "\\": UInt8(ascii: "?")
                case " "..."~": UInt8(truncatingIfNeeded: scalar.value)
                default: UInt8(ascii: "?")
                }
            let isGap = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "?")
            if isGap, readable.last == byte { continue }
            isWord = isWord || byte.isAlphanumeric
            readable.append(byte)
        }
        while readable.last == UInt8(ascii: " ") { readable.removeLast() }
        let start = readable.first == UInt8(ascii: " ") ? 1 : 0
        return isWord ? String(decoding: readable[start...], as: UTF8.self) : nil
    }

    private static func limited(_ text: String, to limit: Int) -> String {
        text.utf8.count <= limit ? text : String(text.prefix(limit - 3)) + "..."
    }
}

/// Finds secrets in a text, also parts of them, form-encoded, in another case, or with other characters in between.
///
/// Only letters and digits are compared. A part is 8 consecutive ones; for a secret of fewer than 16 it is half of
/// them, but at least 4; for a secret of fewer than 4 it is all of them. A part that also occurs in a common word of
/// error messages, such as "secret", does not count, unless it is the whole secret.
struct EchoFilter {
    /// Words that a secret may contain, as in `client-secret-1`.
    private static let plainWords = [
        "access", "assertion", "authorization", "bearer", "client", "code", "credentials", "expired", "grant",
        "invalid",
        "password", "refresh", "revoked", "secret", "service", "token", "unknown", "wrong",
    ].map { Array($0.utf8) }

    private let secrets: [[UInt8]]

    init(_ secrets: [Secret]) {
        var folded: Set<[UInt8]> = []
        for secret in secrets {
            folded.insert(Self.folded(secret.exposed))
            folded.insert(Self.folded(URLEncodedForm.encode(secret.exposed)))
        }
        self.secrets = folded.filter { !$0.isEmpty }
    }

    /// Whether the text contains a part of a secret.
    func matches(_ text: String) -> Bool {
        let text = Self.folded(text)
        var windows: [Int: Set<UInt64>] = [:]
        return secrets.contains { secret in
            let width = min(max(secret.count / 2, min(4, secret.count)), 8)
            let plain = Self.plainWords.flatMap { Self.windows(of: $0, width) }
            let known = windows[width] ?? Set(Self.windows(of: text, width)).subtracting(plain)
            windows[width] = known
            return Self.windows(of: secret, width).contains(where: known.contains)
                || Self.contains(text, secret)
        }
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }

    /// Only the letters and digits, in lower case.
    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.compactMap { $0.isAlphanumeric ? HTTPSyntax.lowercase($0) : nil }
    }

    /// Each sequence of `width` bytes, up to 8, as one number.
    private static func windows(of bytes: [UInt8], _ width: Int) -> [UInt64] {
        let mask = UInt64.max >> UInt64(64 - 8 * width)
        var window: UInt64 = 0
        var windows: [UInt64] = []
        for (index, byte) in bytes.enumerated() {
            window = (window << 8 | UInt64(byte)) & mask
            if index >= width - 1 { windows.append(window) }
        }
        return windows
    }
}
