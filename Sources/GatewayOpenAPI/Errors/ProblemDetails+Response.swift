public import GatewayCore

extension FailedResponse {
    /// The problem details (RFC 9457) in the body; `nil` unless the media type is `application/problem+json` and the
    /// body is a complete JSON object. Decoded on each access.
    public var problem: ProblemDetails? {
        guard mediaType == "application/problem+json" else { return nil }
        return try? json(ProblemDetails.self)
    }
}

extension HTTPResponse {
    /// The problem details (RFC 9457) in the collected body, for calls without a document; otherwise as those of a
    /// `FailedResponse`.
    public var problem: ProblemDetails? {
        guard mediaType == "application/problem+json" else { return nil }
        return try? json(ProblemDetails.self)
    }
}

extension GatewayCallError {
    /// The problem details (RFC 9457) that the server sent, also for documented failures. `nil` if the body is not one
    /// or is larger than 64 KiB. Decoded on each access.
    public var problem: ProblemDetails? { response?.problem }
}
