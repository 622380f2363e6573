/// Options of one call. Options that are not set follow the client's configuration.
public struct CallOptions: Sendable {
    /// Maximum duration of the whole call, including waits, token refreshes, retries and their delays.
    public var deadline: Duration?
    /// When and how often the request is retried. Overrides the policy of the engine.
    public var retry: (any RetryPolicy)?
    /// The value of `Idempotency-Key`, by which the server recognizes a repeated request. It makes `POST` and `PATCH`
    /// retryable. All attempts send the same key.
    ///
    /// An operation of a generated client whose document has this header takes the key as a parameter too, which takes
    /// precedence. Without either, the client generates a key for each call, in the form of the document.
    public var idempotencyKey: String?
    /// Header fields to set on the request. They replace fields with the same name.
    public var headers: HTTPFields
    /// Maximum size in bytes of a response that is held in memory. A larger one fails with
    /// ``NetworkError/responseTooLarge``. `nil` for the engine's or client's limit, 8 MiB by default; a negative number
    /// counts as 0. Streams are not held.
    public var responseLimit: Int?

    /// Maximum number of JSON values, including member names, in a response that a generated client decodes. A larger
    /// response fails as one that does not match the document. `nil` for the client's
    /// limit, 8,388,608 by default. Each value takes 16 bytes while it is decoded.
    public var jsonValueLimit: Int?

    /// Creates options.
    public init(
        deadline: Duration? = nil, retry: (any RetryPolicy)? = nil, idempotencyKey: String? = nil,
        headers: HTTPFields = HTTPFields(), responseLimit: Int? = nil, jsonValueLimit: Int? = nil
    ) {
        self.deadline = deadline
        self.retry = retry
        self.idempotencyKey = idempotencyKey
        self.headers = headers
        self.responseLimit = responseLimit
        self.jsonValueLimit = jsonValueLimit
    }

    /// These options, completed by others. Of header fields with the same name, those of these options are used.
    public func over(_ defaults: CallOptions) -> CallOptions {
        var merged = self
        merged.deadline = deadline ?? defaults.deadline
        merged.retry = retry ?? defaults.retry
        merged.idempotencyKey = idempotencyKey ?? defaults.idempotencyKey
        merged.responseLimit = responseLimit ?? defaults.responseLimit
        merged.jsonValueLimit = jsonValueLimit ?? defaults.jsonValueLimit
        for field in defaults.headers where !headers.contains(field.name) { merged.headers.append(field) }
        return merged
    }
}

extension HTTPRequest {
    /// Sets the header fields and the idempotency key of the options.
    public mutating func apply(_ options: CallOptions) {
        var seen: [HTTPField.Name] = []
        for field in options.headers {
            if !seen.contains(field.name) {
                fields.remove(field.name)
                seen.append(field.name)
            }
            fields.append(field)
        }
        if let key = options.idempotencyKey { fields[.idempotencyKey] = key }
    }
}
