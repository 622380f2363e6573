public import GatewayCore
import GatewayLibC

extension ClientTelemetry {
    /// Metrics and a log as environment variables say.
    ///
    /// | Variable | Values | Meaning | Default |
    /// |---|---|---|---|
    /// | `GATEWAY_LOG` | `none`, `error`, `warning`, `info` or `debug` | the least important level that is logged | `none` |
    /// | `GATEWAY_LOG_SAMPLING` | a number from 0 to 1 | the share of calls without a problem that are logged | `1` |
    /// | `OTEL_SERVICE_NAME` | any text | the name of the service in `target_info` | none |
    ///
    /// An empty value counts as not set.
    ///
    /// - Parameters:
    ///   - variables: the variables; `nil` for those of the process.
    ///   - write: writes lines of the log; standard error by default.
    ///   - clock: the clock of the engine.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the variable.
    public static func environment(
        _ variables: [String: String]? = nil,
        write: @escaping @Sendable ([UInt8]) -> Void = JSONLogSink.writeToStandardError,
        clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) -> ClientTelemetry {
        func value(_ name: String) -> String? {
            let text = variables.map { $0[name] } ?? Self.variable(name)
            return text?.isEmpty == false ? text : nil
        }
        let sampling: Double
        if let text = value("GATEWAY_LOG_SAMPLING") {
            guard let number = Double(text), (0...1).contains(number) else {
                throw NetworkError(.misconfigured, "GATEWAY_LOG_SAMPLING must be a number from 0 to 1.")
            }
            sampling = number
        } else {
            sampling = 1
        }
        let log: JSONLogSink?
        switch value("GATEWAY_LOG") {
        case nil, "none": log = nil
        case let name?:
            guard let level = JSONLogSink.Level(rawValue: name) else {
                throw NetworkError(
                    .misconfigured, "GATEWAY_LOG must be none, error, warning, info or debug.")
            }
            log = JSONLogSink(level: level, sampling: sampling, clock: clock, write: write)
        }
        return ClientTelemetry(
            metrics: RequestMetricsCollector(serviceName: value("OTEL_SERVICE_NAME"), clock: clock), log: log)
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).flatMap { unsafe String(validatingCString: $0) }
    }
}
