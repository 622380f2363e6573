public import GatewayJSON

/// An enum that may grow: a value that the document does not define is kept as `unrecognized`.
///
/// Generated enums conform. Two values are equal if their raw values are equal. A value `none` or `some` of the document
/// is the case `none_` or `some_`, because Swift reads `.none` for an optional value as nil.
public protocol OpenEnum: RawRepresentable, Hashable, JSONDecodable, JSONEncodable, ParameterValue
where RawValue: Hashable & JSONDecodable & JSONEncodable & ParameterValue {
    /// The case of a raw value; never fails.
    init(rawValue: RawValue)
    /// The values that the document defines, in its order. Not `CaseIterable`: there are other values.
    static var knownCases: [Self] { get }
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
