internal import GatewayJSON

/// Bytes that are the same exactly for equal JSON values: numbers are compared by value, objects without regard to
/// order, strings by code points (JSON Schema, section 4.2.2). Swift's `String` uses canonical equivalence instead.
struct EqualityKey: Hashable {
    private(set) var bytes: [UInt8] = []

    init(_ element: JSONElement) throws(JSONError) { try append(element) }

    private mutating func append(_ element: JSONElement) throws(JSONError) {
        switch element.type {
        case .null: bytes.append(UInt8(ascii: "n"))
        case .bool: bytes.append(UInt8(ascii: try element.bool() ? "t" : "f"))
        case .number:
            bytes.append(UInt8(ascii: "#"))
            append(Self.canonical(try element.number().text))
        case .string:
            bytes.append(UInt8(ascii: "s"))
            append(try element.string())
        case .array:
            bytes.append(UInt8(ascii: "["))
            for item in try element.elements() { try append(item) }
            bytes.append(UInt8(ascii: "]"))
        case .object:
            bytes.append(UInt8(ascii: "{"))
            let members = try element.object().members.sorted { a, b in
                a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
            }
            for (name, value) in members {
                append(name)
                try append(value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a text with its length as a prefix, so that the text cannot be confused with the bytes that follow it.
    private mutating func append(_ text: String) {
        bytes += "\(text.utf8.count):".utf8
        bytes += text.utf8
    }

    /// The digits of a number without leading and trailing zeros, and its power of ten. A number whose exponent does
    /// not fit `Int` keeps its text.
    private static func canonical(_ text: String) -> String {
        var digits: [UInt8] = []
        var power = 0
        var isFraction = false
        let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        for byte in mantissa {
            switch byte {
            case UInt8(ascii: "-"): continue
            case UInt8(ascii: "."): isFraction = true
            default:
                if isFraction { power -= 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            }
        }
        guard !digits.isEmpty else { return "0" }
        let exponent = text.utf8.dropFirst(mantissa.count + 1).drop { $0 == UInt8(ascii: "+") }
        if !exponent.isEmpty {
            guard let value = Int(String(decoding: exponent, as: UTF8.self)) else { return text }
            let (sum, isOver) = power.addingReportingOverflow(value)
            if isOver { return text }
            power = sum
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            let (next, isOver) = power.addingReportingOverflow(1)
            if isOver { return text }
            power = next
        }
        let sign = mantissa.first == UInt8(ascii: "-") ? "-" : ""
        return sign + String(decoding: digits, as: UTF8.self) + "e\(power)"
    }
}
