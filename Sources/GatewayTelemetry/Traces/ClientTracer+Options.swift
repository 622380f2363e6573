extension ClientTracer {
    /// What a tracer records.
    public struct Options: Sendable {
        /// Which traces are recorded. Default: the decision of the caller, and every trace that begins here.
        public var sampler = TraceSampler.alwaysOn.parentBased
        /// Whether each call has a span `gateway.call`. Default: only calls without a caller's span, and those that send
        /// nothing.
        public var recordsEveryCall = false
        /// Whether spans have events for name resolution, connecting, TLS and the first byte. They take about ten calls of
        /// libcurl for each exchange, and twice as many for a streamed response.
        public var recordsPhases = false
        /// Whether spans have the path of the URL and the names of its query items. Otherwise they have the template of the
        /// operation.
        public var showsPath = true
        /// The names of query items whose values are shown. Other values are replaced by `REDACTED`, and so are those of
        /// signatures and credentials that OpenTelemetry names.
        public var shownQueryItems: Set<String> = []
        /// Whether requests carry `traceparent` and `tracestate`.
        public var sendsTraceContext = true
        /// Whether requests carry `baggage`.
        public var sendsBaggage = true

        /// The defaults.
        public init() {}
    }
}
