public import GatewayJSON

/// A number that is written as a string, digit for digit: formats `int64`, `uint64` and `decimal` of a string. Such
/// numbers are too large or too exact for some readers of JSON.
///
/// ```swift
/// payment.amount.value + 1
/// payment.amount = 42
/// ```
public struct AsText<Value: ParameterValue>: Sendable {
    /// The number.
    public var value: Value

    /// Wraps a number.
    public init(_ value: Value) { self.value = value }
}

extension AsText: Equatable where Value: Equatable {}
extension AsText: Hashable where Value: Hashable {}

extension AsText: JSONDecodable, JSONEncodable {
    /// Reads a string of digits, or a number.
    public init(json: JSONElement) throws(JSONError) {
        let text = json.type == .number ? try json.number().text : try json.string()
        guard let value = Value(parameterText: text) else { throw json.wrongFormat("a number in a string") }
        self.value = value
    }
    /// Writes a string of digits.
    public func write(to writer: inout JSONWriter) { writer.string(value.parameterText) }
}

extension AsText: ParameterValue {
    /// The digits.
    public var parameterText: String { value.parameterText }
    /// Digits.
    public init?(parameterText: String) {
        guard let value = Value(parameterText: parameterText) else { return nil }
        self.value = value
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
