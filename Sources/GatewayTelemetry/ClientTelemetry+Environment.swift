public import GatewayCore

extension ClientTelemetry {
    /// Metrics, a log and traces as environment variables say.
    ///
    /// | Variable | Values | Meaning | Default |
    /// |---|---|---|---|
    /// | `GATEWAY_LOG` | `none`, `error`, `warning`, `info` or `debug` | the least important level that is logged | `none`; `info` for lines that are sent to a collector |
    /// | `GATEWAY_LOG_SAMPLING` | a number from 0 to 1 | the share of calls without a problem that are logged | `1` |
    /// | `GATEWAY_LOG_LINES_PER_SECOND` | a whole number from 1, or `none` | the lines of one kind that are written in a second | `100` |
    /// | `GATEWAY_LOG_REQUEST_ID_FIELDS` | names of header fields, separated by commas, or `none` | where servers return their ID of a request, for the field `request_id` | ``GatewayCore/HTTPField/Name/requestIDs`` |
    /// | `OTEL_SERVICE_NAME` | any text | the name of the service in `target_info` | none |
    ///
    /// An empty value counts as not set. ``OpenTelemetryEnvironment`` lists the variables of a collector. If they name one, traces
    /// are recorded, and traces, metrics and the log are sent. What is ignored of them is written as a line `variable_ignored`.
    ///
    /// - Parameters:
    ///   - variables: the variables; `nil` for those of the process.
    ///   - others: further sinks, such as one of the program.
    ///   - write: writes lines of the log; standard error by default.
    ///   - transport: makes the requests to the collector: a transport of its own, not that of the application's calls. `nil`, the
    ///     default, for one that the first `GatewayEngine` with this telemetry provides.
    ///   - clock: the clock of the engine.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the variable.
    public static func environment(
        _ variables: [String: String]? = nil, others: [any RequestEventSink] = [],
        write: @escaping @Sendable ([UInt8]) -> Void = JSONLogSink.writeToStandardError,
        transport: (any Transport)? = nil, clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) -> ClientTelemetry {
        let read = ProcessVariables.reader(of: variables)
        func value(_ name: String) throws(NetworkError) -> String? {
            switch read(name) {
            case .unset: return nil
            case .text(let text): return text.isEmpty ? nil : text
            case .unreadable: throw NetworkError(.misconfigured, "\(name) must be UTF-8.")
            }
        }
        let sampling = try sampling(try value("GATEWAY_LOG_SAMPLING"))
        let linesPerSecond = try linesPerSecond(try value("GATEWAY_LOG_LINES_PER_SECOND"))
        let requestIDFields = try requestIDFields(try value("GATEWAY_LOG_REQUEST_ID_FIELDS"))
        let level = try level(try value("GATEWAY_LOG"))
        let openTelemetry = OpenTelemetryEnvironment(variables)
        for warning in openTelemetry.warnings {
            let entry = LogEntry(.warning, "variable_ignored", [(.reason, .text(warning))])
            write(entry.line(at: clock.unixTime, allowed: Set(JSONLogSink.Field.allCases)))
        }
        let settings = openTelemetry.exporter
        return try ClientTelemetry(
            exporting: openTelemetry.isDisabled ? settings.disabled : settings, openTelemetry.tracer,
            others: others, transport: transport, clock: clock
        ) { exporter in
            guard level != nil || exporter != nil else { return nil }
            return JSONLogSink(
                level: level ?? .info, sampling: sampling, linesPerSecond: linesPerSecond,
                requestIDFields: requestIDFields, clock: clock, exporter: exporter,
                write: level == nil ? nil : write)
        }
    }

    private static func level(_ name: String?) throws(NetworkError) -> JSONLogSink.Level? {
        guard let name, name != "none" else { return nil }
        guard let level = JSONLogSink.Level(rawValue: name) else {
            throw NetworkError(.misconfigured, "GATEWAY_LOG must be none, error, warning, info or debug.")
        }
        return level
    }

    private static func sampling(_ text: String?) throws(NetworkError) -> Double {
        guard let text else { return 1 }
        guard let number = Double(text), (0...1).contains(number) else {
            throw NetworkError(.misconfigured, "GATEWAY_LOG_SAMPLING must be a number from 0 to 1.")
        }
        return number
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
