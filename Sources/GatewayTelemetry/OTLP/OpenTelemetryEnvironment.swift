import GatewayCore
import GatewayLibC

/// The settings in OpenTelemetry's environment variables.
///
/// | Variable | Meaning |
/// |---|---|
/// | `OTEL_SDK_DISABLED` | `true` records and sends nothing |
/// | `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` | attributes of the process |
/// | `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG` | `always_on`, `always_off`, `traceidratio`, each also after `parentbased_` |
/// | `OTEL_PROPAGATORS` | `tracecontext`, `baggage` or `none` |
/// | `OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER`, `OTEL_LOGS_EXPORTER` | `otlp` or `none`; without it, each is sent if there is an endpoint. `otlp` without an endpoint sends to `http://localhost:4318` |
/// | `OTEL_EXPORTER_OTLP_…`, `…_TRACES_…`, `…_METRICS_…`, `…_LOGS_…` | `ENDPOINT`, `HEADERS`, `TIMEOUT` (ms), `PROTOCOL`, `COMPRESSION` (`gzip` or `none`) |
/// | the same | `CERTIFICATE`, `CLIENT_CERTIFICATE`, `CLIENT_KEY`: PEM files with the certificates to trust, and with a client certificate and its private key, for the transport that an engine provides |
/// | `OTEL_METRIC_EXPORT_…` | `INTERVAL`: how often metrics are sent (ms); `TIMEOUT` (ms) |
/// | `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE` | `cumulative` |
/// | `OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION` | `base2_exponential_bucket_histogram`, the default here, or `explicit_bucket_histogram` |
/// | `OTEL_BSP_…`, `OTEL_BLRP_…` | of spans and of log records: `SCHEDULE_DELAY` (ms), `EXPORT_TIMEOUT` (ms), `MAX_QUEUE_SIZE`, `MAX_EXPORT_BATCH_SIZE` |
///
/// As OpenTelemetry requires, an empty value counts as not set, fixed values are case-insensitive, and a value that cannot be used is ignored with a warning: other
/// than the variables of this library, which fail. A signal whose endpoint cannot be used is not sent.
public struct OpenTelemetryEnvironment: Sendable {
    private static let defaultEndpoint = "http://localhost:4318"

    /// Whether nothing is recorded and sent.
    public private(set) var isDisabled = false
    /// What is recorded.
    public private(set) var tracer = ClientTracer.Options()
    /// Where and how it is sent.
    public private(set) var exporter = OTLPConfiguration()
    /// What was ignored, a sentence each, without values.
    public private(set) var warnings: [String] = []
    private var read: @Sendable (String) -> ProcessVariables.Value

    /// Reads variables.
    ///
    /// - Parameter variables: `nil` for those of the process.
    public init(_ variables: [String: String]? = nil) {
        self.init(reading: ProcessVariables.reader(of: variables))
    }

    init(reading read: @escaping @Sendable (String) -> ProcessVariables.Value) {
        self.read = read
        isDisabled = flag("OTEL_SDK_DISABLED")
        readResource()
        readSampler()
        readPropagators()
        exporter.traces = endpoint(of: "TRACES", path: "v1/traces")
        exporter.metrics = endpoint(of: "METRICS", path: "v1/metrics")
        exporter.logs = endpoint(of: "LOGS", path: "v1/logs")
        readMetrics()
        readBatches()
        self.read = { _ in .unset }
    }

    /// The value of a variable; `nil` if it is not set or empty, or, with a warning, not UTF-8.
    private mutating func variable(_ name: String) -> String? {
        switch read(name) {
        case .unset: return nil
        case .text(let text): return text.isEmpty ? nil : text
        case .unreadable:
            warn(name, "is not UTF-8")
            return nil
        }
    }

    /// The value of a variable with a fixed set of values, which are case-insensitive.
    private mutating func word(_ name: String) -> String? { variable(name)?.lowercased() }

    // MARK: Parts

    private mutating func readResource() {
        if let pairs = pairs("OTEL_RESOURCE_ATTRIBUTES") {
            exporter.resource = Dictionary(pairs) { $1 }
        }
        if let name = variable("OTEL_SERVICE_NAME") { exporter.resource["service.name"] = name }
    }

    private mutating func readSampler() {
        guard let name = word("OTEL_TRACES_SAMPLER") else { return }
        let isParentBased = name.hasPrefix("parentbased_")
        let sampler: TraceSampler
        switch isParentBased ? String(name.dropFirst("parentbased_".count)) : name {
        case "always_on": sampler = .alwaysOn
        case "always_off": sampler = .alwaysOff
        case "traceidratio": sampler = .share(share())
        default: return warn("OTEL_TRACES_SAMPLER", "names no sampler that is supported")
        }
        tracer.sampler = isParentBased ? sampler.parentBased : sampler
    }

    private mutating func share() -> Double {
        guard let text = variable("OTEL_TRACES_SAMPLER_ARG") else { return 1 }
        if let share = Double(text), (0...1).contains(share) { return share }
        warn("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1")
        return 1
    }

    private mutating func readPropagators() {
        guard let text = word("OTEL_PROPAGATORS") else { return }
        let names = text.split(separator: ",").map { String($0).trimmingHTTPWhitespace() }
        let known: Set<String> = ["tracecontext", "baggage", "none"]
        if !names.allSatisfy(known.contains) {
            warn("OTEL_PROPAGATORS", "names a propagator that is not supported")
        }
        // Only what is known decides; a list without it is ignored as a whole.
        guard names.contains(where: known.contains) else { return }
        let sendsAny = !names.contains("none")
        tracer.sendsTraceContext = sendsAny && names.contains("tracecontext")
        tracer.sendsBaggage = sendsAny && names.contains("baggage")
    }

    /// Where a signal is sent; `nil` for nowhere.
    private mutating func endpoint(of signal: String, path: String) -> OTLPConfiguration.Destination? {
        var isWanted: Bool?
        switch word("OTEL_\(signal)_EXPORTER") {
        case nil: break
        case "otlp": isWanted = true
        case "none": isWanted = false
        default: warn("OTEL_\(signal)_EXPORTER", "names an exporter that is not supported")
        }
        let (own, all) = ("OTEL_EXPORTER_OTLP_\(signal)_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
        guard isWanted ?? (variable(own) != nil || variable(all) != nil) else { return nil }
        if let text = variable(own) {
            return checked(text, own).map { destination(signal, url: text, $0) }
        }
        let text = variable(all) ?? Self.defaultEndpoint
        return checked(text, all).map {
            destination(signal, url: OTLPConfiguration.url(text, path), $0)
        }
    }

    /// The origin of an endpoint; `nil`, with a warning, for none: telemetry and the fields with it are for nobody else.
    private mutating func checked(_ text: String, _ name: String) -> Origin? {
        guard let url = try? ParsedURL(text) else {
            add("\(name) must be a URL with http or https; nothing is sent for it.")
            return nil
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            add("\(name) must be a URL without a fragment; nothing is sent for it.")
            return nil
        }
        return url.origin
    }

    private mutating func readMetrics() {
        if let interval = milliseconds("OTEL_METRIC_EXPORT_INTERVAL") { exporter.metricsInterval = interval }
        if let limit = milliseconds("OTEL_METRIC_EXPORT_TIMEOUT") { exporter.metricsTimeout = limit }
        let temporality = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
        if !["cumulative", nil].contains(word(temporality)) {
            warn(temporality, "names a temporality that is not supported")
        }
        let name = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION"
        switch word(name) {
        case nil, "base2_exponential_bucket_histogram": break
        case "explicit_bucket_histogram": exporter.usesExponentialHistograms = false
        default: warn(name, "names no aggregation that is supported")
        }
    }

    private mutating func destination(
        _ signal: String, url: String, _ origin: Origin
    ) -> OTLPConfiguration.Destination {
        var destination = OTLPConfiguration.Destination(url)
        if let name = name("PROTOCOL", signal), let text = word(name) {
            if let encoding = OTLPConfiguration.Encoding(rawValue: text) {
                destination.encoding = encoding
            } else {
                warn(name, "names a protocol that is not supported; http/protobuf is used")
            }
        }
        if let name = name("COMPRESSION", signal) {
            switch word(name) {
            case "gzip": destination.isCompressed = true
            case "none": break
            default: warn(name, "names a compression that is not supported")
            }
        }
        if let name = name("TIMEOUT", signal), let timeout = milliseconds(name) {
            destination.timeout = timeout
        }
        if let name = name("HEADERS", signal), let pairs = pairs(name) {
            for (field, value) in pairs {
                if OTLPSender.ownFields.contains(HTTPField.Name(field)) {
                    warn(name, "has a header field that the exporter sets itself")
                    continue
                }
                let fields: HTTPFields = [HTTPField.Name(field): value]
                // Fields that the transport sets are not valid either: each request would fail.
                if (try? HTTPRequest(method: .post, origin: origin, target: "/", fields: fields).validate())
                    != nil
                {
                    destination.fields[HTTPField.Name(field)] = value
                } else {
                    warn(name, "has a header field that is not valid")
                }
            }
            if !destination.fields.isEmpty, !origin.isSecureOrLoopback, origin.host != "localhost" {
                add("\(name) is sent over plain HTTP to another machine: anybody between can read it.")
            }
        }
        readFiles(of: signal, &destination)
        return destination
    }

    /// A file that cannot be read yet is kept: to trust the system's certificates in its place would be less than was asked for.
    private mutating func readFiles(of signal: String, _ destination: inout OTLPConfiguration.Destination) {
        destination.caFile = name("CERTIFICATE", signal).flatMap { file($0) }
        switch (name("CLIENT_CERTIFICATE", signal), name("CLIENT_KEY", signal)) {
        case (nil, nil): break
        case (let certificate?, let key?):
            destination.clientCertificateFile = file(certificate)
            destination.clientKeyFile = file(key)
        case (let certificate?, nil): warn(certificate, "has no effect without CLIENT_KEY")
        case (nil, let key?): warn(key, "has no effect without CLIENT_CERTIFICATE")
        }
    }

    private mutating func readBatches() {
        if let delay = milliseconds("OTEL_BSP_SCHEDULE_DELAY") { exporter.batchDelay = delay }
        if let limit = milliseconds("OTEL_BSP_EXPORT_TIMEOUT") { exporter.exportTimeout = limit }
        if let size = count("OTEL_BSP_MAX_QUEUE_SIZE") { exporter.queueLimit = size }
        if let size = count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE") { exporter.batchLimit = size }
        if exporter.batchLimit > exporter.queueLimit { exporter.batchLimit = exporter.queueLimit }
        if let delay = milliseconds("OTEL_BLRP_SCHEDULE_DELAY") { exporter.logBatchDelay = delay }
        if let limit = milliseconds("OTEL_BLRP_EXPORT_TIMEOUT") { exporter.logExportTimeout = limit }
        if let size = count("OTEL_BLRP_MAX_QUEUE_SIZE") { exporter.logQueueLimit = size }
        if let size = count("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE") { exporter.logBatchLimit = size }
        if exporter.logBatchLimit > exporter.logQueueLimit { exporter.logBatchLimit = exporter.logQueueLimit }
    }

    // MARK: Values

    /// The name of a variable of a signal if it is set, otherwise that of the one for all signals; `nil` if neither is set.
    private mutating func name(_ part: String, _ signal: String) -> String? {
        ["OTEL_EXPORTER_OTLP_\(signal)_\(part)", "OTEL_EXPORTER_OTLP_\(part)"].first { variable($0) != nil }
    }

    /// The path of a file, with a warning if it cannot be read.
    private mutating func file(_ name: String) -> String? {
        guard let path = variable(name) else { return nil }
        if unsafe access(path, R_OK) != 0 {
            add("\(name) names a file that cannot be read; nothing is sent until it can be.")
        }
        return path
    }

    private mutating func flag(_ name: String) -> Bool {
        switch word(name) {
        case "true": return true
        case nil, "false": return false
        default:
            warn(name, "must be true or false")
            return false
        }
    }

    private mutating func milliseconds(_ name: String) -> Duration? {
        count(name).map { .milliseconds($0) }
    }

    /// A number of 1 or more.
    private mutating func count(_ name: String) -> Int? {
        guard let text = variable(name) else { return nil }
        if let number = Int32(text.trimmingHTTPWhitespace()), number >= 1 { return Int(number) }
        warn(name, "must be an integer from 1 to \(Int32.max)")
        return nil
    }

    /// A list in the form of W3C Baggage; `nil` if it is not set or not valid.
    private mutating func pairs(_ name: String) -> [(String, String)]? {
        guard let text = variable(name) else { return nil }
        var pairs: [(String, String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let item = String(Substring(part)).trimmingHTTPWhitespace()
            if item.isEmpty { continue }
            guard let mark = item.firstIndex(of: "="), mark > item.startIndex else {
                warn(name, "must be a list of key=value")
                return nil
            }
            let (key, value) = (String(item[..<mark]), String(item[mark...].dropFirst()))
            pairs.append(
                (
                    key.trimmingHTTPWhitespace(),
                    String(percentDecoding: Array(value.trimmingHTTPWhitespace().utf8)[...])
                ))
        }
        return pairs
    }

    private mutating func warn(_ name: String, _ problem: String) {
        add("\(name) \(problem); the value is ignored.")
    }

    /// Once for a variable that several signals have.
    private mutating func add(_ warning: String) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }
}
