public import GatewayCore

extension FailedResponse {
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
