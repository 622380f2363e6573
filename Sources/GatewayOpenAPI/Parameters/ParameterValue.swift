/// A primitive value that can be encoded in a path, a query, a header field or a cookie.
///
/// Your own type can conform, to be used for parameters with a configured format.
public protocol ParameterValue: Sendable {
    /// The value as text, before percent-encoding.
    var parameterText: String { get }

    /// Whether ``parameterText`` is valid. If not, the call fails before any I/O. Default: `true`. `false` for numbers
    /// that are not finite, dates outside the years 0 to 9999, and negative durations.
    var hasParameterText: Bool { get }

    /// Reads a value from text; `nil` if the text is not valid.
    init?(parameterText: String)
}

extension ParameterValue {
    /// Default: `true`.
    public var hasParameterText: Bool { true }
}

extension String: ParameterValue {
    /// The string.
    public var parameterText: String { self }
    /// Accepts any string.
    public init?(parameterText: String) { self = parameterText }
}

extension Bool: ParameterValue {
    /// `true` or `false`.
    public var parameterText: String { self ? "true" : "false" }
    /// Reads `true` or `false`; `nil` for any other text.
    public init?(parameterText: String) { self.init(parameterText) }
}

extension Int: ParameterValue {
    /// The decimal digits.
    public var parameterText: String { description }
    /// Reads a decimal integer; `nil` for any other text.
    public init?(parameterText: String) { self.init(parameterText) }
}

extension UInt64: ParameterValue {
    /// The decimal digits.
    public var parameterText: String { description }
    /// Reads a decimal integer; `nil` for any other text.
    public init?(parameterText: String) { self.init(parameterText) }
}

extension Double: ParameterValue {
    /// The shortest text that is read back as the same number.
    public var parameterText: String { description }
    /// Whether the number is finite.
    public var hasParameterText: Bool { isFinite }
    /// Reads a finite number; `nil` for any other text.
    public init?(parameterText: String) {
        self.init(parameterText)
        guard isFinite else { return nil }
    }
}

extension Float: ParameterValue {
    /// The shortest text that is read back as the same number.
    public var parameterText: String { description }
    /// Whether the number is finite.
    public var hasParameterText: Bool { isFinite }
    /// Reads a finite number; `nil` for any other text.
    public init?(parameterText: String) {
        self.init(parameterText)
        guard isFinite else { return nil }
    }
}
