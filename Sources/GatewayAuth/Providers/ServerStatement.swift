import GatewayCore

/// What an authorization server says about an error: `error` and `error_description` (RFC 6749 §5.2), reduced to what
/// may be shown.
///
/// Both are limited to the characters that RFC 6749 allows and to a length. A server may repeat what it was sent: a text
/// that has a part of a secret is left out; see ``EchoFilter``. `error_uri` is never shown.
struct ServerStatement: Sendable, Hashable {
    /// The longest code and the longest description, in characters.
    static let (maximumCode, maximumDescription) = (64, 200)

    /// The codes of RFC 6749, 7009, 8628, 8707 and 9449 and of OpenID Connect. They tell nothing of a request's secrets.
    private static let registeredCodes: Set<String> = [
        "access_denied", "authorization_pending", "consent_required", "expired_token", "interaction_required",
        "invalid_client", "invalid_dpop_proof", "invalid_grant", "invalid_request", "invalid_scope",
        "invalid_target",
        "invalid_token", "login_required", "server_error", "slow_down", "temporarily_unavailable",
        "unauthorized_client",
        "unsupported_grant_type", "unsupported_response_type", "unsupported_token_type", "use_dpop_nonce",
    ]

    /// The code; `nil` where the server gave none that may be shown.
    let code: String?
    /// The description; `nil` where the server gave none that may be shown.
    let explanation: String?
    /// Whether a part was left out because it repeats a secret.
    let isRedacted: Bool

    /// Reads an error.
    ///
    /// - Parameters:
    ///   - error: the value of `error`.
    ///   - description: the value of `error_description`.
    ///   - secrets: the values that must not be shown: tokens, codes, assertions, passwords.
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

    /// `invalid_grant ("Token is revoked")`; `nil` where nothing may be shown.
    var text: String? {
        let note = isRedacted ? "(text left out: it repeats a secret)" : nil
        let parts = [code, explanation.map { "(\"\($0)\")" }, note].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// The text in the characters that RFC 6749 §5.2 allows: printable ASCII without `"` and `\`. `nil` where no letter
    /// or digit is left. No more is read than a description and a secret in it can take.
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
            isWord = isWord || EchoFilter.isAlphanumeric(byte)
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

/// Recognizes secrets in a text, also in part, form-encoded, in other cases or with other characters in between.
///
/// A part is 8 letters and digits in a row; of a secret that has fewer than 16 of them half of them, but at least 4; of one
/// that has fewer than 4 all. A part of a word that servers' messages are made of, such as "secret", is not one, unless it is
/// the whole secret.
struct EchoFilter {
    /// Words that a secret may contain by chance, as `client-secret-1` does.
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
            folded.insert(Self.folded(FormEncoding.encode(secret.exposed)))
        }
        self.secrets = folded.filter { !$0.isEmpty }
    }

    /// Whether the text has a part of a secret.
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

    /// Letters and digits alone, in lower case: whatever stands between them hides nothing.
    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case _ where isAlphanumeric(byte): byte
            default: nil
            }
        }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Each run of so many bytes, up to 8, as one number.
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
