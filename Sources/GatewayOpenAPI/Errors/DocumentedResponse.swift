public import GatewayCore
public import GatewayJSON

/// A response whose body is at hand, to be read as the document says.
public struct DocumentedResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The header fields.
    public let fields: HTTPFields
    let body: [UInt8]

    /// A response of your own, to test what reads it.
    public init(status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The body as JSON. A `Content-Type` that says it is something else is an error; none is none.
    public func json<Value: JSONDecodable>(_ type: Value.Type) throws(JSONError) -> Value {
        if let mediaType = mediaType, !Self.isJSON(mediaType) {
            throw JSONError(.wrongType, "JSON is expected, the response is \(mediaType)")
        }
        return try Value(jsonBytes: body)
    }

    /// The body as text in UTF-8.
    public func text() throws(JSONError) -> String {
        guard let text = String(validating: body, as: UTF8.self) else {
            throw JSONError(.encoding, "the text is not UTF-8")
        }
        return text
    }

    /// The body as it is.
    public func bytes() -> [UInt8] { body }

    /// The media type without parameters, in lower case; only if it looks like one, since it goes into messages.
    private var mediaType: String? {
        guard let value = fields[.contentType] else { return nil }
        let type = value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        guard !type.isEmpty else { return nil }
        let isPlain =
            type.utf8.count <= 100
            && type.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        return isPlain ? type : "of another type"
    }

    private static func isJSON(_ type: String) -> Bool {
        type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
