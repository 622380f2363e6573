public import FoundationEssentials
public import GatewayJSON

/// The type of format `uuid`.
public typealias UUID = FoundationEssentials.UUID

/// A URL, such as the one of a ``URI``.
public typealias URL = FoundationEssentials.URL

/// The type of format `decimal`.
public typealias Decimal = FoundationEssentials.Decimal

extension URL: JSONDecodable, JSONEncodable {
    /// Decodes a URI (RFC 3986).
    public init(json: JSONElement) throws(JSONError) { self = try json.formatted("a URI") }
    /// Encodes a URI.
    public func write(to writer: inout JSONWriter) { writer.string(absoluteString) }
}

extension URL: ParameterValue {
    /// The URI.
    public var parameterText: String { absoluteString }
    /// Reads a URI; `nil` for any other text.
    public init?(parameterText: String) { self.init(string: parameterText) }
}

extension Decimal: JSONDecodable, JSONEncodable {
    /// Decodes a number without rounding, up to 38 digits. Further digits are dropped.
    public init(json: JSONElement) throws(JSONError) {
        guard let value = Decimal(string: try json.number().text), value.isFinite else {
            throw json.outOfRange("the number does not fit into the type of its format")
        }
        self = value
    }
    /// Encodes a number with all digits.
    public func write(to writer: inout JSONWriter) {
        if let number = JSONNumber(description) {
            writer.number(number)
        } else {
            writer.fail("JSON has no infinite or NaN number")
        }
    }
}

extension Decimal: ParameterValue {
    /// The number with all digits.
    public var parameterText: String { description }
    /// Whether the number is not NaN.
    public var hasParameterText: Bool { isFinite }
    /// Reads a number; `nil` for any other text.
    public init?(parameterText: String) {
        // `Decimal(string:)` also accepts texts that only start with a number.
        guard JSONNumber(parameterText) != nil else { return nil }
        self.init(string: parameterText)
    }
}

extension JSONNumber: ParameterValue {
    /// The number, digit for digit.
    public var parameterText: String { text }
    /// Whether the number is finite.
    public var hasParameterText: Bool { isFinite }
    /// Reads a number; `nil` for any other text.
    public init?(parameterText: String) { self.init(parameterText) }
}
