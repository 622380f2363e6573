import GatewayCore

/// A format that Prometheus reads.
enum ExpositionFormat: String {
    case text = "text/plain; version=0.0.4; charset=utf-8"
    case openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    case protobuf =
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"

    /// The format that an `Accept` field prefers (RFC 9110 §12.5.1); text without one, and where it has none of these.
    ///
    /// Of several with the same weight the first is chosen.
    init(accepting accept: String?) {
        var best: (format: Self, weight: Double) = (.text, 0)
        for range in (accept ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { String($0).trimmingHTTPWhitespace().lowercased() }
            guard let type = parts.first else { continue }
            var parameters: [String: String] = [:]
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1).map {
                    String($0).trimmingHTTPWhitespace()
                }
                if pair.count == 2 { parameters[pair[0]] = pair[1].replacing("\"", with: "") }
            }
            guard let format = Self.format(type, parameters) else { continue }
            let weight = parameters["q"].map { Double($0) ?? 0 } ?? 1
            if weight > best.weight { best = (format, weight) }
        }
        self = best.format
    }

    private static func format(_ type: String, _ parameters: [String: String]) -> Self? {
        switch type {
        case "application/vnd.google.protobuf":
            parameters["proto"] == "io.prometheus.client.metricfamily"
                && parameters["encoding"] == "delimited" ? .protobuf : nil
        case "application/openmetrics-text":
            ["1.0.0", "0.0.1", nil].contains(parameters["version"]) ? .openMetrics : nil
        case "text/plain": ["0.0.4", nil].contains(parameters["version"]) ? .text : nil
        case "text/*", "*/*": .text
        default: nil
        }
    }
}
