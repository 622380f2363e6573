public import GatewayCore
public import GatewayJSON

/// A response with its complete body, which generated code decodes according to the document.
public struct DocumentedResponse: Sendable {
    let response: HTTPResponse
    let decoding: BodyDecoding

    /// The HTTP status.
    public var status: Int { response.status }
    /// The header fields.
    public var fields: HTTPFields { response.fields }
    /// The body if it was collected, otherwise empty.
    var body: [UInt8] { response.body.bytes ?? [] }

    init(_ response: HTTPResponse, decoding: BodyDecoding = BodyDecoding()) {
        self.response = response
        self.decoding = decoding
    }

    /// Decodes the body as JSON. A `Content-Type` that is not JSON is an error; a missing one is accepted.
    @_spi(Generated) public func json<Value: JSONDecodable>(_ type: Value.Type) throws(JSONError) -> Value {
        if case .conflict = fields.occurrence(of: .contentType) {
            throw JSONError(.wrongType, "the Content-Type occurs several times, with different values")
        }
        if let mediaType = mediaType, !Self.isJSON(mediaType) {
            throw JSONError(.wrongType, "JSON is expected, the response is \(mediaType)")
        }
        return try decoding.value(type, body)
    }

    /// Decodes the body as text in the charset of `Content-Type`; see ``GatewayCore/HTTPResponse/text()``.
    @_spi(Generated) public func text() throws(JSONError) -> String {
        do throws(TextError) {
            return try fields.text(of: body)
        } catch {
            throw JSONError(.encoding, error.message)
        }
    }

    /// The bytes of the body.
    @_spi(Generated) public func bytes() -> [UInt8] { body }

    /// The media type for messages. Anything that does not look like a media type is replaced by a fixed text.
    private var mediaType: String? {
        guard let type = fields.mediaType else { return nil }
        let isPlain =
            type.utf8.count <= 100
            && type.utf8.allSatisfy { $0.isAlphanumeric || "/+-._".utf8.contains($0) }
        return isPlain ? type : "of another type"
    }

    private static func isJSON(_ type: String) -> Bool {
        type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
