public import GatewayCore
public import GatewayJSON

extension FailedResponse {
    /// Decodes the body as JSON, whatever its media type.
    ///
    /// - Parameter type: what to decode; ``GatewayJSON/JSONValue`` for any JSON.
    /// - Throws: ``GatewayJSON/JSONError``, with the code `tooLarge` where the body was truncated.
    public func json<Value: JSONDecodable>(_ type: Value.Type = JSONValue.self) throws(JSONError) -> Value {
        guard !isBodyTruncated else {
            throw JSONError(.tooLarge, "only the first \(body.count) bytes of the body were kept")
        }
        return try Value(jsonBytes: body)
    }

    /// The problem details that the server sent; `nil` unless the body is a complete JSON object of the media type
    /// `application/problem+json`. It is decoded at each access.
    public var problem: ProblemDetails? {
        guard mediaType == "application/problem+json" else { return nil }
        return try? json(ProblemDetails.self)
    }
}

extension GatewayCallError {
    /// The problem details that the server sent (RFC 9457), of documented failures too; `nil` where the body is none, or is
    /// larger than 64 KiB. It is decoded at each access.
    public var problem: ProblemDetails? { response?.problem }
}
