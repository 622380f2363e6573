public import FoundationEssentials
public import GatewayJSON

/// The type of format `uuid`.
public typealias UUID = FoundationEssentials.UUID

/// The type of format `uri`.
public typealias URL = FoundationEssentials.URL

/// The type of format `decimal`.
public typealias Decimal = FoundationEssentials.Decimal

extension URL: JSONDecodable, JSONEncodable {
    /// Reads a URI (RFC 3986).
    public init(json: JSONElement) throws(JSONError) {
        guard let value = URL(string: try json.string()) else { throw json.wrongFormat("a URI") }
        self = value
    }
    /// Writes a URI.
    public func write(to writer: inout JSONWriter) { writer.string(absoluteString) }
}

extension URL: ParameterValue {
    /// The URI.
    public var parameterText: String { absoluteString }
    /// A URI.
    public init?(parameterText: String) { self.init(string: parameterText) }
}

extension Decimal: JSONDecodable, JSONEncodable {
    /// Reads a number, digit for digit; of more than 38 digits the first are kept.
    public init(json: JSONElement) throws(JSONError) {
        guard let value = Decimal(string: try json.number().text), value.isFinite else {
            throw json.outOfRange("the number does not fit into the type of its format")
        }
        self = value
    }
    /// Writes a number, digit for digit.
    public func write(to writer: inout JSONWriter) {
        if let number = JSONNumber(description) {
            writer.number(number)
        } else {
            writer.fail("JSON has no infinite or NaN number")
        }
    }
}

extension Decimal: ParameterValue {
    /// The number, digit for digit.
    public var parameterText: String { description }
    /// Whether it is a number.
    public var hasParameterText: Bool { isFinite }
    /// A number.
    public init?(parameterText: String) {
        // Foundation would be content with a text that only begins with digits.
        guard JSONNumber(parameterText) != nil else { return nil }
        self.init(string: parameterText)
    }
}
