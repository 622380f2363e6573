public import GatewayJSON
internal import GatewayPatterns

/// An extensible enum: a value that the document does not define is kept as `unrecognized`.
///
/// Generated enums conform. Two values are equal if their raw values are equal. The values `none` and `some` of a
/// document become the cases `none_` and `some_`, because Swift reads `.none` of an optional as `nil`.
public protocol OpenEnum: RawRepresentable, Hashable, JSONDecodable, JSONEncodable, ParameterValue
where RawValue: Hashable & JSONDecodable & JSONEncodable & ParameterValue {
    /// The case of a raw value. Never fails.
    init(rawValue: RawValue)
    /// The values that the document defines, in document order. The type is not `CaseIterable`, because other values
    /// exist.
    static var knownCases: [Self] { get }
}

extension OpenEnum where RawValue == String {
    /// Compares the code points of raw values.
    public static func == (a: Self, b: Self) -> Bool { a.rawValue.isSame(as: b.rawValue) }
}

extension OpenEnum {
    /// Compares raw values.
    public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }
    /// Hashes the raw value.
    public func hash(into hasher: inout Hasher) { rawValue.hash(into: &hasher) }
    /// Decodes the raw value.
    public init(json: JSONElement) throws(JSONError) { self.init(rawValue: try RawValue(json: json)) }
    /// Encodes the raw value.
    public func write(to writer: inout JSONWriter) { rawValue.write(to: &writer) }
    /// The raw value as text.
    public var parameterText: String { rawValue.parameterText }
    /// Whether the raw value has a text.
    public var hasParameterText: Bool { rawValue.hasParameterText }
    /// Reads a raw value from text; `nil` if the text is not a raw value.
    public init?(parameterText: String) {
        guard let rawValue = RawValue(parameterText: parameterText) else { return nil }
        self.init(rawValue: rawValue)
    }
    /// Decodes the raw value with a `Codable` decoder.
    public init(from decoder: any Decoder) throws { self.init(rawValue: try RawValue(from: decoder)) }
    /// Encodes the raw value with a `Codable` encoder.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}
