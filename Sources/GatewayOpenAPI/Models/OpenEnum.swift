public import GatewayJSON

/// A choice of values that may grow: a value that the document does not name is kept as `unrecognized`.
///
/// Generated enums conform; two are equal when their raw values are.
public protocol OpenEnum: RawRepresentable, Hashable, JSONDecodable, JSONEncodable, ParameterValue
where RawValue: Hashable & JSONDecodable & JSONEncodable & ParameterValue {
    /// The case of a raw value; never fails.
    init(rawValue: RawValue)
}

extension OpenEnum {
    /// Compares raw values.
    public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }
    /// Hashes the raw value.
    public func hash(into hasher: inout Hasher) { rawValue.hash(into: &hasher) }
    /// Reads the raw value.
    public init(json: JSONElement) throws(JSONError) { self.init(rawValue: try RawValue(json: json)) }
    /// Writes the raw value.
    public func write(to writer: inout JSONWriter) { rawValue.write(to: &writer) }
    /// The raw value as text.
    public var parameterText: String { rawValue.parameterText }
    /// Whether the raw value has a text.
    public var hasParameterText: Bool { rawValue.hasParameterText }
    /// The case of a raw value in text.
    public init?(parameterText: String) {
        guard let rawValue = RawValue(parameterText: parameterText) else { return nil }
        self.init(rawValue: rawValue)
    }
    /// Reads the raw value with another decoder.
    public init(from decoder: any Decoder) throws { self.init(rawValue: try RawValue(from: decoder)) }
    /// Writes the raw value with another encoder.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}
