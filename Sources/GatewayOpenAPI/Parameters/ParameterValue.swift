/// A primitive value that can stand in a path, a query, a header field or a cookie.
///
/// Conform a type of your own to use it for the parameters of a format.
public protocol ParameterValue: Sendable {
    /// The value as text, before any encoding.
    var parameterText: String { get }

    /// Reads a value from its text; `nil` when it is none.
    init?(parameterText: String)
}

extension String: ParameterValue {
    /// The string.
    public var parameterText: String { self }
    /// Any string.
    public init?(parameterText: String) { self = parameterText }
}

extension Bool: ParameterValue {
    /// `true` or `false`.
    public var parameterText: String { self ? "true" : "false" }
    /// `true` or `false`.
    public init?(parameterText: String) { self.init(parameterText) }
}

extension Int: ParameterValue {
    /// The decimal digits.
    public var parameterText: String { description }
    /// Decimal digits.
    public init?(parameterText: String) { self.init(parameterText) }
}

extension UInt64: ParameterValue {
    /// The decimal digits.
    public var parameterText: String { description }
    /// Decimal digits.
    public init?(parameterText: String) { self.init(parameterText) }
}

extension Double: ParameterValue {
    /// The shortest text that reads back as the same.
    public var parameterText: String { description }
    /// A number.
    public init?(parameterText: String) { self.init(parameterText) }
}

extension Float: ParameterValue {
    /// The shortest text that reads back as the same.
    public var parameterText: String { description }
    /// A number.
    public init?(parameterText: String) { self.init(parameterText) }
}
