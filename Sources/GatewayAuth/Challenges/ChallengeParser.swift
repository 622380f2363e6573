import GatewayCore

/// Parses the challenges of one field value: `challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]` (RFC 9110
/// §11.3).
struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The next challenge; `nil` at the end and at a malformed part.
    mutating func next() -> AuthenticationChallenge? {
        skipSeparators()
        guard let scheme = token(), let challenge = rest(of: scheme) else {
            position = bytes.count
            return nil
        }
        return challenge
    }

    private mutating func rest(of scheme: String) -> AuthenticationChallenge? {
        if isAtElementEnd { return AuthenticationChallenge(scheme: scheme) }
        guard peek == UInt8(ascii: " ") else { return nil }
        skipSpace()
        if isAtElementEnd { return AuthenticationChallenge(scheme: scheme) }
        if let value = token68() { return AuthenticationChallenge(scheme: scheme, token68: value) }

        var parameters: [String: String] = [:]
        while true {
            guard let (name, value) = parameter() else { return nil }
            if parameters[name] == nil { parameters[name] = value }
            skipSpace()
            guard isAtElementEnd else { return nil }
            let end = position
            skipSeparators()
            // `token =` is a parameter of this challenge; a token without `=` is the scheme of the next one.
            guard startsParameter else {
                position = end
                return AuthenticationChallenge(scheme: scheme, parameters: parameters)
            }
        }
    }

    // MARK: Elements

    private mutating func parameter() -> (String, String)? {
        guard let name = token() else { return nil }
        skipSpace()
        guard take(UInt8(ascii: "=")) else { return nil }
        skipSpace()
        guard let value = peek == UInt8(ascii: "\"") ? quotedString() : token() else { return nil }
        return (name.lowercased(), value)
    }

    /// Whether a parameter starts here. Does not change the position.
    private var startsParameter: Bool {
        var copy = self
        guard copy.token() != nil else { return false }
        copy.skipSpace()
        return copy.take(UInt8(ascii: "="))
    }

    /// Reads a `token68` if it is the whole element.
    private mutating func token68() -> String? {
        let start = position
        while let byte = peek, Self.isToken68(byte) { position += 1 }
        if position > start { while take(UInt8(ascii: "=")) {} }
        let end = position
        skipSpace()
        guard end > start, isAtElementEnd else {
            position = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func token() -> String? {
        let start = position
        while let byte = peek, Self.isTokenCharacter(byte) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private mutating func quotedString() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var value: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = peek else { return nil }
                position += 1
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var isAtElementEnd: Bool { peek == nil || peek == UInt8(ascii: ",") }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 { position += 1 }
    }

    private mutating func skipSeparators() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") { position += 1 }
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-._~+/".utf8.contains(byte)
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
