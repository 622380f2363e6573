import GatewayCore

/// The value of a `Strict-Transport-Security` field (RFC 6797 §6.1).
struct StrictTransportPolicy: Hashable, Sendable {
    /// How long the policy applies from now, at most 100 years; zero ends it.
    let maxAge: Duration
    /// Whether the policy applies to all subdomains.
    let includesSubdomains: Bool

    /// Parses a field value; `nil` if it does not conform (RFC 6797 §8.1). Unknown directives are ignored.
    init?(_ value: String) {
        var scanner = DirectiveScanner(value)
        var seen: Set<String> = []
        var maxAge: Duration?
        var includesSubdomains = false
        while let directive = scanner.next() {
            guard seen.insert(directive.name).inserted else { return nil }
            switch directive.name {
            case "max-age":
                guard let seconds = directive.value.flatMap(Self.seconds) else { return nil }
                maxAge = .seconds(seconds)
            case "includesubdomains":
                guard directive.value == nil else { return nil }
                includesSubdomains = true
            default: break
            }
        }
        guard scanner.isAtEnd, let maxAge else { return nil }
        self.maxAge = maxAge
        self.includesSubdomains = includesSubdomains
    }

    /// Parses decimal digits, clamped to 100 years.
    private static func seconds(_ digits: String) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var seconds: Int64 = 0
        for byte in digits.utf8 {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            seconds = min(seconds * 10 + Int64(byte - UInt8(ascii: "0")), 3_155_760_000)
        }
        return seconds
    }
}

/// A scanner of directives that are separated by semicolons: a name in lower case, and the token or quoted string after
/// `=`, if there is one.
private struct DirectiveScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    /// Whether the whole value was parsed.
    var isAtEnd: Bool { index == bytes.count }

    /// The next directive; `nil` at the end and at a syntax error.
    mutating func next() -> (name: String, value: String?)? {
        skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ";") }
        guard let name = token() else { return nil }
        let start = index
        var value: String?
        skipSpace()
        if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
            index += 1
            skipSpace()
            guard let given = quoted() ?? token() else {
                index = start
                return nil
            }
            value = given
            skipSpace()
        }
        guard isAtEnd || bytes[index] == UInt8(ascii: ";") else {
            index = start
            return nil
        }
        return (name.lowercased(), value)
    }

    private mutating func token() -> String? {
        let start = index
        skip { !" \t;=,\"".utf8.contains($0) }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        return HTTPSyntax.isToken(text.utf8) ? text : nil
    }

    /// A quoted string (RFC 9110 §5.6.4) without its quotes; `nil`, without reading anything, if there is none.
    private mutating func quoted() -> String? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        var position = index + 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                index = position + 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where position + 1 < bytes.count:
                text.append(bytes[position + 1])
                position += 2
            default:
                text.append(bytes[position])
                position += 1
            }
        }
        return nil
    }

    private mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x09 } }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }
}
