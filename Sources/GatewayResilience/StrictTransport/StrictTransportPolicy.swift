import GatewayCore

/// What a `Strict-Transport-Security` field says (RFC 6797 §6.1).
struct StrictTransportPolicy: Hashable, Sendable {
    /// How long the host is to be called over TLS alone, from now; 100 years at most. Zero: no longer.
    let maxAge: Duration
    /// Whether the same is true of every host below it.
    let includesSubdomains: Bool

    /// Understands a field's value; `nil` where it does not conform, and then all of it counts for nothing
    /// (RFC 6797 §8.1). Directives that nobody knows are passed over.
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

    /// Digits alone; more than 100 years are 100 years.
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

/// Directives between semicolons: a name in lower case, and a token or quoted string after `=`, if there is one.
private struct DirectiveScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    /// Whether everything was understood.
    var isAtEnd: Bool { index == bytes.count }

    /// The next directive; `nil` at the end and where none can be made out.
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

    /// A quoted string (RFC 9110 §5.6.4), without its quotes; `nil`, and nothing read, where none is.
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
