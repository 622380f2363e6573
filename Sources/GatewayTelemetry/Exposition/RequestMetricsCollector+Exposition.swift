import GatewayCore

extension RequestMetricsCollector {
    /// All metrics in the format that Prometheus asks for: protocol buffers with native histograms, OpenMetrics 1.0.0 with
    /// exemplars, or text 0.0.4.
    ///
    /// A server of the program serves it, such as at `/metrics`:
    /// ```swift
    /// let (contentType, bytes) = await metrics.exposition(accepting: request.headers["Accept"])
    /// ```
    /// - Parameter accept: the value of the request's `Accept` field; `nil` if it has none.
    /// - Returns: the value of the response's `Content-Type`, and its content.
    public func exposition(accepting accept: String?) async -> (contentType: String, bytes: [UInt8]) {
        let connections = await connectionStatistics()
        let families = copy().families(connections, now: clock.now)
        let format = ExpositionFormat(accepting: accept)
        let bytes =
            switch format {
            case .text: PrometheusText.write(families, target: target, isOpenMetrics: false)
            case .openMetrics: PrometheusText.write(families, target: target, isOpenMetrics: true)
            case .protobuf: PrometheusProtobuf.write(families, target: target)
            }
        return (format.rawValue, bytes)
    }

    private var target: [MetricFamily.Label] {
        serviceName.map { [MetricFamily.Label(name: "service_name", value: $0)] } ?? []
    }
}
