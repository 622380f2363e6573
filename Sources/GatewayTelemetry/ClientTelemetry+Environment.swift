public import GatewayCore

extension ClientTelemetry {
    /// Metrics, a log and traces as environment variables say.
    ///
    /// | Variable | Values | Meaning | Default |
    /// |---|---|---|---|
    /// | `GATEWAY_LOG` | `none`, `error`, `warning`, `info` or `debug` | the least important level that is logged | `none` |
    /// | `GATEWAY_LOG_SAMPLING` | a number from 0 to 1 | the share of calls without a problem that are logged | `1` |
    /// | `GATEWAY_LOG_LINES_PER_SECOND` | a whole number from 1, or `none` | the lines of one kind that are written in a second | `100` |
    /// | `GATEWAY_LOG_REQUEST_ID_FIELDS` | names of header fields, separated by commas, or `none` | where servers return their ID of a request, for the field `request_id` | ``GatewayCore/HTTPField/Name/requestIDs`` |
    /// | `OTEL_SERVICE_NAME` | any text | the name of the service in `target_info` | none |
    ///
    /// An empty value counts as not set. ``OpenTelemetryEnvironment`` lists the variables of traces. They are recorded if the
    /// variables name a collector. What is ignored of them is written as a line `variable_ignored`.
    ///
    /// - Parameters:
    ///   - variables: the variables; `nil` for those of the process.
    ///   - write: writes lines of the log; standard error by default.
    ///   - transport: sends spans to the collector: a transport of its own, not that of the application's calls. `nil`, the
    ///     default, for one that the first `GatewayEngine` with this telemetry provides.
    ///   - clock: the clock of the engine.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the variable.
    public static func environment(
        _ variables: [String: String]? = nil,
        write: @escaping @Sendable ([UInt8]) -> Void = JSONLogSink.writeToStandardError,
        transport: (any Transport)? = nil, clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) -> ClientTelemetry {
        func value(_ name: String) -> String? {
            let text = variables.map { $0[name] } ?? ProcessVariables.value(name)
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
        let linesPerSecond = try linesPerSecond(value("GATEWAY_LOG_LINES_PER_SECOND"))
        let requestIDFields = try requestIDFields(value("GATEWAY_LOG_REQUEST_ID_FIELDS"))
        let log: JSONLogSink?
        switch value("GATEWAY_LOG") {
        case nil, "none": log = nil
        case let name?:
            guard let level = JSONLogSink.Level(rawValue: name) else {
                throw NetworkError(
                    .misconfigured, "GATEWAY_LOG must be none, error, warning, info or debug.")
            }
            log = JSONLogSink(
                level: level, sampling: sampling, linesPerSecond: linesPerSecond,
                requestIDFields: requestIDFields, clock: clock, write: write)
        }
        let openTelemetry = OpenTelemetryEnvironment(variables)
        for warning in openTelemetry.warnings {
            let entry = LogEntry(.warning, "variable_ignored", [(.reason, .text(warning))])
            write(entry.line(at: clock.unixTime, allowed: Set(JSONLogSink.Field.allCases)))
        }
        let settings = openTelemetry.exporter
        let metrics = RequestMetricsCollector(serviceName: settings.resource["service.name"], clock: clock)
        var exporter: OTLPExporter?
        var tracer: ClientTracer?
        var provided: ProvidedTransport?
        if !openTelemetry.isDisabled, settings.traces != nil || settings.metrics != nil {
            let late = ProvidedTransport()
            if transport == nil { provided = late }
            let made = try OTLPExporter(
                settings, transport: transport ?? late, metrics: metrics, clock: clock)
            exporter = made
            if settings.traces != nil {
                tracer = ClientTracer(exporter: made, options: openTelemetry.tracer, clock: clock)
            }
        }
        return ClientTelemetry(
            metrics: metrics, log: log, tracer: tracer, exporter: exporter, others: [], provided: provided)
    }

    private static func linesPerSecond(_ text: String?) throws(NetworkError) -> Int? {
        guard let text else { return 100 }
        if text == "none" { return nil }
        guard let number = Int(text), number >= 1 else {
            throw NetworkError(
                .misconfigured, "GATEWAY_LOG_LINES_PER_SECOND must be a whole number from 1, or none.")
        }
        return number
    }

    private static func requestIDFields(_ text: String?) throws(NetworkError) -> [HTTPField.Name] {
        guard let text else { return HTTPField.Name.requestIDs }
        if text == "none" { return [] }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { name in
            HTTPField.Name(String(name.drop { $0 == " " }))
        }
        guard names.allSatisfy({ HTTPField($0, "").isValid && !$0.namesCredential }) else {
            throw NetworkError(
                .misconfigured,
                "GATEWAY_LOG_REQUEST_ID_FIELDS must be names of header fields without credentials, separated by commas, or none."
            )
        }
        return names
    }
}
