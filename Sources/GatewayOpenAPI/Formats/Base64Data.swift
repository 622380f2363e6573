internal import FoundationEssentials
public import GatewayJSON

/// Bytes that are encoded in Base64 (RFC 4648, section 4): format `byte`.
public struct Base64Data: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The decoded bytes.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Wraps bytes.
    public init(arrayLiteral elements: UInt8...) { bytes = elements }

    /// The bytes in Base64, with padding.
    public var text: String { Data(bytes).base64EncodedString() }

    /// Decodes Base64; `nil` for any other text.
    public init?(text: String) {
        guard let data = Data(base64Encoded: text) else { return nil }
        bytes = Array(data)
    }
}

extension Base64Data: JSONDecodable, JSONEncodable {
    /// Decodes a Base64 string.
    public init(json: JSONElement) throws(JSONError) { self = try json.formatted("Base64") }
    /// Encodes a Base64 string.
    public func write(to writer: inout JSONWriter) { writer.string(text) }
}

extension Base64Data: ParameterValue {
    /// The bytes in Base64.
    public var parameterText: String { text }
    /// Decodes Base64; `nil` for any other text.
    public init?(parameterText: String) { self.init(text: parameterText) }
}
