/// An item of a structured field with its parameters (RFC 9651 §3.3).
struct StructuredItem: Hashable, Sendable {
    /// A bare item. Byte sequences are stored in Base64.
    enum Value: Hashable, Sendable {
        case integer(Int64)
        case decimal(Double)
        case string(String)
        case token(String)
        case bytes(String)
        case boolean(Bool)
        case date(Int64)
    }

    let value: Value
    /// If a name is repeated, the last value is used.
    let parameters: [String: Value]

    /// The number; `nil` for other items.
    var number: Double? { value.number }
}

extension StructuredItem.Value {
    /// The number; `nil` for other items.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        default: nil
        }
    }

    /// The text of a string or a token; `nil` for other items.
    var text: String? {
        switch self {
        case .string(let text), .token(let text): text
        default: nil
        }
    }
}

/// Parses structured fields (RFC 9651 §4.2) without inner lists. It is strict: one error makes the whole
/// field malformed.
struct StructuredField {
    /// The maximum size of a field, in bytes.
    private static let longest = 4_096
    /// The maximum number of members.
    private static let mostMembers = 32

    private let bytes: [UInt8]
    private var index = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The members of a list; `nil` if it is malformed, larger than 4 KiB or has more than 32 members.
    static func list(_ text: String) -> [StructuredItem]? {
        guard text.utf8.count <= longest else { return nil }
        var reader = StructuredField(text)
        return reader.members { $0.item() }
    }

    /// The members of a dictionary; `nil` if it is malformed, larger than 4 KiB or has more than 32 members.
    static func dictionary(_ text: String) -> [String: StructuredItem]? {
        guard text.utf8.count <= longest else { return nil }
        var reader = StructuredField(text)
        let members = reader.members { reader -> (String, StructuredItem)? in
            guard let key = reader.key() else { return nil }
            guard reader.skip(UInt8(ascii: "=")) else {
                return reader.parameters().map {
                    (key, StructuredItem(value: .boolean(true), parameters: $0))
                }
            }
            return reader.item().map { (key, $0) }
        }
        return members.map { Dictionary($0, uniquingKeysWith: { $1 }) }
    }

    // MARK: Parts

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace(tabs: Bool) {
        while let byte = next, byte == 0x20 || tabs && byte == 0x09 { index += 1 }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> String {
        let start = index
        while let byte = next, condition(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func members<Member>(_ read: (inout Self) -> Member?) -> [Member]? {
        var members: [Member] = []
        skipSpace(tabs: false)
        while next != nil {
            guard members.count < Self.mostMembers, let member = read(&self) else { return nil }
            members.append(member)
            skipSpace(tabs: true)
            guard next != nil else { break }
            guard skip(UInt8(ascii: ",")) else { return nil }
            skipSpace(tabs: true)
            if next == nil { return nil }
        }
        return members
    }

    private mutating func item() -> StructuredItem? {
        guard let value = bareItem(), let parameters = parameters() else { return nil }
        return StructuredItem(value: value, parameters: parameters)
    }

    private mutating func parameters() -> [String: StructuredItem.Value]? {
        var parameters: [String: StructuredItem.Value] = [:]
        while skip(UInt8(ascii: ";")) {
            skipSpace(tabs: false)
            guard let key = key() else { return nil }
            var value = StructuredItem.Value.boolean(true)
            if skip(UInt8(ascii: "=")) {
                guard let read = bareItem() else { return nil }
                value = read
            }
            parameters[key] = value
        }
        return parameters
    }

    private mutating func key() -> String? {
        guard let first = next, Self.isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
        return take { Self.isLowercase($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
    }

    private mutating func bareItem() -> StructuredItem.Value? {
        guard let first = next else { return nil }
        switch first {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "?"):
            index += 1
            if skip(UInt8(ascii: "1")) { return .boolean(true) }
            return skip(UInt8(ascii: "0")) ? .boolean(false) : nil
        case UInt8(ascii: "@"):
            index += 1
            guard case .integer(let seconds)? = number() else { return nil }
            return .date(seconds)
        case _ where first == UInt8(ascii: "-") || Self.isDigit(first): return number()
        case _ where first == UInt8(ascii: "*") || Self.isLetter(first):
            return .token(
                take { Self.isLetter($0) || Self.isDigit($0) || "!#$%&'*+-.^_`|~:/".utf8.contains($0) })
        default: return nil
        }
    }

    /// An integer of at most 15 digits, or a decimal of at most 12 and 3.
    private mutating func number() -> StructuredItem.Value? {
        let isNegative = skip(UInt8(ascii: "-"))
        let whole = take(while: Self.isDigit)
        guard !whole.isEmpty else { return nil }
        guard skip(UInt8(ascii: ".")) else {
            guard whole.utf8.count <= 15, let value = Int64(whole) else { return nil }
            return .integer(isNegative ? -value : value)
        }
        let fraction = take(while: Self.isDigit)
        guard whole.utf8.count <= 12, (1...3).contains(fraction.utf8.count),
            let value = Double("\(whole).\(fraction)")
        else { return nil }
        return .decimal(isNegative ? -value : value)
    }

    private mutating func string() -> StructuredItem.Value? {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return .string(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else {
                    return nil
                }
                text.append(escaped)
                index += 1
            case 0x20...0x7E: text.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func byteSequence() -> StructuredItem.Value? {
        index += 1
        let text = take { Self.isLetter($0) || Self.isDigit($0) || "+/=".utf8.contains($0) }
        return skip(UInt8(ascii: ":")) ? .bytes(text) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    private static func isLowercase(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}
