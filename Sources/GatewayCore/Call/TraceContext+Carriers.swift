extension TraceContext {
    /// Reads the fields `traceparent` and `tracestate` of an incoming request.
    ///
    /// - Returns: `nil` if `traceparent` is missing, invalid or a duplicate: a new trace is to be begun.
    public init?(fields: HTTPFields) {
        let parents = fields.values(for: .traceparent)
        guard parents.count == 1 else { return nil }
        self.init(
            traceparent: parents[0].trimmingHTTPWhitespace(), tracestate: fields.values(for: .tracestate))
    }

    /// Reads the variables `TRACEPARENT` and `TRACESTATE`, by which a process continues the trace of its parent
    /// (OpenTelemetry, Environment Variables as Context Propagation Carriers).
    ///
    /// - Parameter environment: the variables of the process.
    /// - Returns: `nil` if `TRACEPARENT` is missing or invalid.
    public init?(environment: [String: String]) {
        guard let parent = environment["TRACEPARENT"] else { return nil }
        self.init(
            traceparent: parent.trimmingHTTPWhitespace(),
            tracestate: environment["TRACESTATE"].map { [$0] } ?? [])
    }
}
