public import FoundationEssentials
public import GatewayJSON

/// A URI (RFC 3986) as it is written: format `uri`.
///
/// ```swift
/// if let url = book.cover?.url { show(url) }
/// book.cover = "https://img.example/b1.png"
/// ```
///
/// Any text is decoded, also an empty one, and is encoded with the same characters. Two values are equal if their
/// characters are: `/%7Ea` is not `/~a`.
public struct URI: Hashable, Sendable {
    /// The characters.
    public let text: String

    /// Wraps any text.
    public init(_ text: String) { self.text = text }

    /// The URI of a URL.
    public init(_ url: URL) { text = url.absoluteString }

    /// The URI as a URL; `nil` if it is empty, or not one for Foundation, which percent-encodes characters that a URL cannot
    /// contain.
    public var url: URL? { URL(string: text) }

    /// Compares characters, and not by canonical equivalence as `String` does.
    public static func == (one: Self, other: Self) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }
}

extension URI: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Wraps any text.
    public init(stringLiteral value: String) { self.init(value) }
    /// The characters.
    public var description: String { text }
}

extension URI: JSONDecodable, JSONEncodable {
    /// Decodes any string.
    public init(json: JSONElement) throws(JSONError) { self.init(try json.string()) }
    /// Encodes the characters.
    public func write(to writer: inout JSONWriter) { writer.string(text) }
}

extension URI: ParameterValue {
    /// The characters, before percent-encoding.
    public var parameterText: String { text }
    /// Accepts any text.
    public init?(parameterText: String) { self.init(parameterText) }
}
