extension HTTPField: Redacted {
    /// Only the name, because the value may be secret.
    public var description: String { "\(name): …" }
}

extension ParsedURL: Redacted {
    /// Only the origin, because path and query may contain secrets.
    public var description: String { "URL at \(origin)" }
}

extension HTTPBody: Redacted {
    /// The kind of body, and its size if it is in memory. Contains neither content nor file paths.
    public var description: String {
        switch storage {
        case .bytes(let bytes): "body of \(bytes.count) bytes"
        case .file: "body from a file"
        case .replayable: "body from a replayable stream"
        case .once: "body from a stream"
        }
    }
}

extension ResponseBody: Redacted {
    /// The kind of body, and its size if it is in memory. Never contains content.
    public var description: String {
        switch storage {
        case .bytes(let bytes): "body of \(bytes.count) bytes"
        case .stream: "body from a stream"
        }
    }
}

extension ResponseBody.Iterator: Redacted {}

extension CallOptions: Redacted {
    /// The names of the header fields and whether there is an idempotency key.
    public var description: String {
        "options with fields \(fields)" + (idempotencyKey == nil ? "" : " and an idempotency key")
    }
}

extension OperationOptions: Redacted {
    /// A fixed text without the options.
    public var description: String { "options by operation" }
}

extension TraceContext: Redacted {
    /// The value of `traceparent`. `tracestate` is omitted, because vendors define its content.
    public var description: String { traceparent }
}

extension RequestContext: Redacted {
    /// The operation and the ID of the call. Contains no credentials.
    public var description: String {
        "context of \(operation.map { "\($0)" } ?? "a call") with call ID \(callID)"
    }
}
