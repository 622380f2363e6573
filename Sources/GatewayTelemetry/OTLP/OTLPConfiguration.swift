public import GatewayCore

/// Where and how telemetry is sent.
///
/// ```swift
/// var configuration = OTLPConfiguration(collector: "http://127.0.0.1:4318")
/// configuration.resource = ["service.name": "shop"]
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
        /// A PEM file with the certificates to trust; `nil` for those of the system. This and the client certificate are for a
        /// transport that an engine provides; one of your own has its own.
        public var caFile: String?
        /// A PEM file with the client certificate; `nil` for none.
        public var clientCertificateFile: String?
        /// A PEM file with the private key of the client certificate; required with it.
        public var clientKeyFile: String?

        /// A destination with the defaults.
        public init(_ url: String) { self.url = url }

        var files: TLSFiles {
            TLSFiles(
                trusted: caFile,
                client: clientCertificateFile.flatMap { certificate in
                    clientKeyFile.map { TLSFiles.Client(certificate: certificate, key: $0) }
                })
        }
    }

    /// Where spans are sent; `nil` for nowhere.
    public var traces: Destination?
    /// Where metrics are sent; `nil` for nowhere.
    public var metrics: Destination?
    /// Where the lines of the log are sent; `nil` for nowhere.
    public var logs: Destination?
    /// How often metrics are sent, more than zero. Default: 60 s.
    public var metricsInterval = Duration.seconds(60)
    /// How long a request with metrics may take with all its attempts. Default: 30 s.
    public var metricsTimeout = Duration.seconds(30)
    /// Whether histograms are exponential, which gives percentiles within 1.1 %. Otherwise they have the 14 buckets of
    /// OpenTelemetry's conventions, for collectors that know no others.
    public var usesExponentialHistograms = true
    /// The attributes of the process, such as `service.name`.
    public var resource: [String: String] = [:]
    /// How many spans may wait, 1 or more, beside those of the request in progress. Further ones are dropped and counted, also if
    /// those that wait take more than 16 MiB. Default: 2,048.
    public var queueLimit = 2_048
    /// How many spans a request has at most, 1 or more. Default: 512.
    public var batchLimit = 512
    /// How long the first span of a batch waits for others. Default: 5 s.
    public var batchDelay = Duration.seconds(5)
    /// How long a batch of spans may take with all its attempts. Default: 30 s.
    public var exportTimeout = Duration.seconds(30)
    /// How many log records may wait, 1 or more, beside those of the request in progress. Further ones are dropped and counted, also
    /// if those that wait take more than 16 MiB. Default: 2,048.
    public var logQueueLimit = 2_048
    /// How many log records a request has at most, 1 or more. Default: 512.
    public var logBatchLimit = 512
    /// How long the first log record of a batch waits for others. Default: 1 s.
    public var logBatchDelay = Duration.seconds(1)
    /// How long a batch of log records may take with all its attempts. Default: 30 s.
    public var logExportTimeout = Duration.seconds(30)

    /// Sends nothing.
    public init() {}

    /// Sends spans, metrics and logs to a collector.
    ///
    /// - Parameter collector: its URL, such as `http://127.0.0.1:4318`. The paths `/v1/traces`, `/v1/metrics` and `/v1/logs` are
    ///   appended.
    public init(collector: String) {
        traces = Destination(Self.url(collector, "v1/traces"))
        metrics = Destination(Self.url(collector, "v1/metrics"))
        logs = Destination(Self.url(collector, "v1/logs"))
    }

    /// Whether anything is sent.
    public var hasDestination: Bool { traces != nil || metrics != nil || logs != nil }

    /// The URL of a path of a collector. A query stays behind the path.
    static func url(_ collector: String, _ path: String) -> String {
        let base = String(collector.prefix { $0 != "?" })
        let query = String(collector.dropFirst(base.count))
        return base + (base.hasSuffix("/") ? "" : "/") + path + query
    }

    /// The same without a destination.
    var disabled: OTLPConfiguration {
        var configuration = self
        (configuration.traces, configuration.metrics, configuration.logs) = (nil, nil, nil)
        return configuration
    }
}
