/// A primitive value of a parameter in a path, a query, a header field or a cookie.
///
/// Conform a type of your own to use it for the parameters of a format.
public protocol ParameterValue: Sendable {
    /// The value as text, before any encoding.
    var parameterText: String { get }

    /// Whether ``parameterText`` is a text of the format; a call with another value fails before any I/O. By default `true`.
    /// It is `false` for numbers that are not finite, dates outside the years 0 to 9999, and negative durations.
    var hasParameterText: Bool { get }

    /// Reads a value from its text; `nil` when it is none.
    init?(parameterText: String)
}

extension ParameterValue {
    /// `true`: every value has a text.
    public var hasParameterText: Bool { true }
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
    /// Whether the number is finite.
    public var hasParameterText: Bool { isFinite }
    /// A finite number.
    public init?(parameterText: String) {
        self.init(parameterText)
        guard isFinite else { return nil }
    }
}

extension Float: ParameterValue {
    /// The shortest text that reads back as the same.
    public var parameterText: String { description }
    /// Whether the number is finite.
    public var hasParameterText: Bool { isFinite }
    /// A finite number.
    public init?(parameterText: String) {
        self.init(parameterText)
        guard isFinite else { return nil }
    }
}
