import GatewayCore

/// What an authorization server says about an error: `error` and `error_description` (RFC 6749 §5.2), reduced to what
/// may be shown.
///
/// Both are limited to the characters that RFC 6749 allows and to a length. A server may repeat what it was sent: a
/// text that has eight characters in a row in common with a secret, or the whole of a shorter one, is left out.
/// `error_uri` is never shown.
struct ServerStatement: Sendable, Hashable {
    /// The longest code and the longest description, in characters.
    static let (maximumCode, maximumDescription) = (64, 200)

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
            code.map { !echo.matches($0) } ?? true, description.map { !echo.matches($0) } ?? true
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
struct EchoFilter {
    /// How many characters in a row tell a secret.
    private static let width = 8

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
        let windows = Set(Self.windows(of: text))
        return secrets.contains { secret in
            secret.count < Self.width
                ? Self.contains(text, secret)
                : Self.windows(of: secret).contains(where: windows.contains)
        }
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

    /// Each run of eight bytes, as one number.
    private static func windows(of bytes: [UInt8]) -> [UInt64] {
        var window: UInt64 = 0
        var windows: [UInt64] = []
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            if index >= width - 1 { windows.append(window) }
        }
        return windows
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }
}
