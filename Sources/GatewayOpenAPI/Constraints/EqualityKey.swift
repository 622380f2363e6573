internal import GatewayJSON

/// Bytes that are equal if and only if two JSON values are equal: numbers are compared by value, objects independent of
/// member order, strings by code points (JSON Schema 2020-12, Core, section 4.2.2). Why: Swift's `String` uses
/// canonical equivalence.
struct EqualityKey: Hashable, Sendable {
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
        guard let number = DecimalParts(text) else { return text }
        guard !number.digits.isEmpty else { return "0" }
        let sign = number.isNegative ? "-" : ""
        return sign + String(decoding: number.digits, as: UTF8.self) + "e\(number.power)"
    }
}
