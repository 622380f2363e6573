public import GatewayJSON

/// A number that is encoded as a JSON string: formats `int64`, `uint64` and `decimal` of type `string`. Why: some JSON
/// readers cannot represent such numbers exactly.
///
/// ```swift
/// payment.amount.value + 1
/// payment.amount = 42
/// if let amount = AsText<Decimal>("12.90") { payment.amount = amount }
/// ```
///
/// A value that was decoded, or made from text, is printed and encoded with the same characters: `"12.90"` stays `"12.90"`,
/// and equals `"12.9"`. A number that is set in code is printed and encoded as its ``ParameterValue/parameterText``.
public struct AsText<Value: ParameterValue>: Sendable {
    /// The text that was read, if it differs from the text of the value.
    private var spelling: String?

    /// The number.
    public var value: Value {
        didSet { spelling = nil }
    }

    /// Wraps a number.
    public init(_ value: Value) { self.value = value }
}

extension AsText: Equatable where Value: Equatable {
    /// Whether the numbers are equal, regardless of their text.
    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
}

extension AsText: Hashable where Value: Hashable {
    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension AsText: JSONDecodable, JSONEncodable {
    /// Decodes a string with a number, or a number.
    public init(json: JSONElement) throws(JSONError) {
        let text = json.type == .number ? try json.number().text : try json.string()
        guard let value = Self(parameterText: text) else { throw json.wrongFormat("a number as a string") }
        self = value
    }
    /// Encodes a string with a number.
    public func write(to writer: inout JSONWriter) {
        guard hasParameterText else { return writer.fail("JSON has no infinite or NaN number") }
        writer.string(parameterText)
    }
}

extension AsText: ParameterValue {
    /// The number as text; for a value that was read from text, that text.
    public var parameterText: String { spelling ?? value.parameterText }
    /// Whether the number has a text, that is, it is finite.
    public var hasParameterText: Bool { value.hasParameterText }
    /// Reads a number from text; `nil` for any other text.
    public init?(parameterText: String) {
        guard let value = Value(parameterText: parameterText) else { return nil }
        self.value = value
        if value.parameterText != parameterText { spelling = parameterText }
    }
}

extension AsText: LosslessStringConvertible {
    /// The number as text; for a value that was read from text, that text.
    public var description: String { parameterText }
    /// Reads a number in the notation of JSON, such as `12.90`, and keeps its text; `nil` for any other text.
    public init?(_ text: String) { self.init(parameterText: text) }
}

extension AsText: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    /// Wraps a number.
    public init(integerLiteral value: Value.IntegerLiteralType) { self.value = Value(integerLiteral: value) }
}

extension Int64: ParameterValue {
    /// The decimal digits.
    public var parameterText: String { description }
    /// Decimal digits.
    public init?(parameterText: String) { self.init(parameterText) }
}
