public import GatewayCore

/// Where and how telemetry is sent.
///
/// ```swift
/// var configuration = OTLPConfiguration()
/// configuration.traces = .init("http://127.0.0.1:4318/v1/traces")
/// ```
public struct OTLPConfiguration: Sendable {
    /// The form of requests.
    public enum Encoding: String, CaseIterable, Hashable, Sendable {
        /// Protocol buffers. Every collector takes them.
        case protobuf = "http/protobuf"
        /// JSON. Not every collector takes it.
        case json = "http/json"

        var mediaType: String { self == .protobuf ? "application/x-protobuf" : "application/json" }
    }

    /// Where one kind of telemetry is sent.
    public struct Destination: Sendable {
        /// The whole URL, such as `http://127.0.0.1:4318/v1/traces`.
        public var url: String
        /// Header fields, such as an API key.
        public var fields = HTTPFields()
        /// The form of requests.
        public var encoding = Encoding.protobuf
        /// Whether requests are compressed (gzip).
        public var isCompressed = false
        /// The time limit of a request, more than zero. Default: 10 s.
        public var timeout = Duration.seconds(10)

        /// A destination with the defaults.
        public init(_ url: String) { self.url = url }
    }

    /// Where spans are sent; `nil` for nowhere.
    public var traces: Destination?
    /// Where metrics are sent; `nil` for nowhere.
    public var metrics: Destination?
    /// How often metrics are sent, more than zero. Default: 60 s.
    public var metricsInterval = Duration.seconds(60)
    /// Whether histograms are exponential, which gives percentiles within 1.1 %. Otherwise they have the 14 buckets of
    /// OpenTelemetry's conventions, for collectors that know no others.
    public var usesExponentialHistograms = true
    /// The attributes of the process, such as `service.name`.
    public var resource: [String: String] = [:]
    /// How many records may wait, 1 or more. Further ones are dropped and counted. Default: 2,048.
    public var queueLimit = 2_048
    /// How many records a request has at most, 1 or more. Default: 512.
    public var batchLimit = 512
    /// How long the first record of a batch waits for others. Default: 5 s.
    public var batchDelay = Duration.seconds(5)
    /// How long a batch may take with all its attempts. Default: 30 s.
    public var exportTimeout = Duration.seconds(30)

    /// Sends nothing.
    public init() {}
}
