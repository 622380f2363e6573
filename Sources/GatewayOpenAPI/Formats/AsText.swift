public import GatewayJSON

/// A number that is written as a string, digit for digit: formats `int64`, `uint64` and `decimal` of a string. Such
/// numbers are too large or too exact for some readers of JSON.
///
/// ```swift
/// payment.amount.value + 1
/// payment.amount = 42
/// ```
///
/// What was read is written as it was: `"0.10"` stays `"0.10"`, and equals `"0.1"`. A value that is set is written in
/// its own digits.
public struct AsText<Value: ParameterValue>: Sendable {
    /// What was read, where the number would be written in another way.
    private var spelling: String?

    /// The number.
    public var value: Value {
        didSet { spelling = nil }
    }

    /// Wraps a number.
    public init(_ value: Value) { self.value = value }
}

extension AsText: Equatable where Value: Equatable {
    /// Whether the numbers are equal, however they were written.
    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
}

extension AsText: Hashable where Value: Hashable {
    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension AsText: JSONDecodable, JSONEncodable {
    /// Reads a string of digits, or a number.
    public init(json: JSONElement) throws(JSONError) {
        let text = json.type == .number ? try json.number().text : try json.string()
        guard let value = Self(parameterText: text) else { throw json.wrongFormat("a number as a string") }
        self = value
    }
    /// Writes a string of digits.
    public func write(to writer: inout JSONWriter) {
        guard hasParameterText else { return writer.fail("JSON has no infinite or NaN number") }
        writer.string(parameterText)
    }
}

extension AsText: ParameterValue {
    /// The digits, as they were read.
    public var parameterText: String { spelling ?? value.parameterText }
    /// Whether the number has digits.
    public var hasParameterText: Bool { value.hasParameterText }
    /// Digits.
    public init?(parameterText: String) {
        guard let value = Value(parameterText: parameterText) else { return nil }
        self.value = value
        if value.parameterText != parameterText { spelling = parameterText }
    }
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
