extension HTTPField: Redacted {
    /// The name only: the value may be a secret.
    public var description: String { "\(name): …" }
}

extension ParsedURL: Redacted {
    /// The origin only: path and query may hold secrets.
    public var description: String { "URL at \(origin)" }
}

extension HTTPBody: Redacted {
    /// What kind of body it is, and its size where that is known; neither content nor a file's path.
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
    /// What kind of body it is, and its size where that is known; never its content.
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
    /// Nothing of the options.
    public var description: String { "options by operation" }
}

extension TraceContext: Redacted {
    /// The value of `traceparent`; `tracestate` is left out, because vendors decide what it holds.
    public var description: String { traceparent }
}

extension RequestContext: Redacted {
    /// The operation and the call's ID; nothing of the credentials.
    public var description: String {
        "context of \(operation.map { "\($0)" } ?? "a call") with call ID \(callID)"
    }
}
