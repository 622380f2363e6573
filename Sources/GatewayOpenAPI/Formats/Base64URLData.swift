internal import GatewayCore
public import GatewayJSON

/// Bytes that are encoded in URL-safe Base64 (RFC 4648, section 5): format or `contentEncoding` `base64url`.
public struct Base64URLData: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The decoded bytes.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Wraps bytes.
    public init(arrayLiteral elements: UInt8...) { bytes = elements }

    /// The bytes in URL-safe Base64, without padding.
    public var text: String { Base64.encodeURL(bytes) }

    /// Decodes URL-safe Base64, with or without padding; `nil` for any other text.
    public init?(text: String) {
        var characters = Array(text.utf8)
        if characters.count.isMultiple(of: 4) {
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        guard let bytes = Base64.decodeURL(characters) else { return nil }
        self.bytes = bytes
    }
}

extension Base64URLData: JSONDecodable, JSONEncodable {
    /// Decodes a URL-safe Base64 string.
    public init(json: JSONElement) throws(JSONError) { self = try json.formatted("URL-safe Base64") }
    /// Encodes a URL-safe Base64 string.
    public func write(to writer: inout JSONWriter) { writer.string(text) }
}

extension Base64URLData: ParameterValue {
    /// The bytes in URL-safe Base64.
    public var parameterText: String { text }
    /// Decodes URL-safe Base64; `nil` for any other text.
    public init?(parameterText: String) { self.init(text: parameterText) }
}
