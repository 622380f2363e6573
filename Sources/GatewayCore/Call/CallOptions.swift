/// What a caller may say about one call. Everything left out follows the client's configuration.
public struct CallOptions: Sendable {
    /// How long the whole call may take: waits, refreshes, retries and their backoffs included.
    public var deadline: Duration?
    /// When and how often to send again; overrides the engine's policy.
    public var retry: (any RetryPolicy)?
    /// The value of `Idempotency-Key`, by which the server recognizes a repeated request. It makes `POST` and `PATCH`
    /// retryable. All attempts send the same key.
    ///
    /// An operation of a generated client whose document has this header takes the key as a parameter too, which takes
    /// precedence. Without either, the client generates a key for each call, in the form of the document.
    public var idempotencyKey: String?
    /// Fields to set on the request, over those it has.
    public var headers: HTTPFields
    /// The most bytes of a response that are held in memory; past it the call fails with
    /// ``NetworkError/responseTooLarge``. `nil` for the engine's or client's limit, 8 MiB by default; a negative number
    /// counts as 0. Streams are not held.
    public var responseLimit: Int?

    /// The most values that the JSON of a response may have where a generated client decodes it, names of members
    /// included; past it the call fails as with any response that does not match the document. `nil` for the client's
    /// limit, 8,388,608 by default. Each value takes 16 bytes while it is decoded.
    public var jsonValueLimit: Int?

    /// Makes options.
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

    /// These options, with what they leave open taken from others. Headers are joined; ours win.
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
    /// Sets what the options say about the request itself: fields and the idempotency key.
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
