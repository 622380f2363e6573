import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

@Suite struct OpenTelemetryEnvironmentTests {
    private func settings(_ variables: [String: String]) -> OpenTelemetryEnvironment {
        OpenTelemetryEnvironment(variables)
    }

    @Test func withoutVariablesNothingIsSent() {
        let settings = settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "", "OTEL_TRACES_SAMPLER": ""])
        #expect(settings.exporter.traces == nil && settings.warnings.isEmpty && !settings.isDisabled)
        #expect(settings.tracer.sampler == TraceSampler.alwaysOn.parentBased)
        #expect(settings.exporter.queueLimit == 2_048 && settings.exporter.batchLimit == 512)
    }

    @Test(
        arguments: [
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"], "http://c:4318/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"], "http://c:4318/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c/otlp"], "https://c/otlp/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c/a?x=1&y=/"], "https://c/a/v1/traces?x=1&y=/"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c?x"], "https://c/v1/traces?x"),
            (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/x?y"], "https://c/x?y"),
            (["OTEL_TRACES_EXPORTER": "OTLP"], "http://localhost:4318/v1/traces"),
            (["OTEL_TRACES_EXPORTER": "None", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"], nil),
            (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/x"], "https://c/x"),
            (
                [
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/x",
                    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://d",
                ],
                "https://c/x"
            ),
            (["OTEL_TRACES_EXPORTER": "otlp"], "http://localhost:4318/v1/traces"),
            (["OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"], nil),
        ] as [([String: String], String?)])
    func theEndpointIsThatOfTheSignal(variables: [String: String], url: String?) {
        #expect(settings(variables).exporter.traces?.url == url)
        #expect(settings(variables).warnings.isEmpty)
    }

    /// What is chosen explicitly has the default endpoint of the specification; the others stay off.
    @Test(arguments: ["TRACES", "METRICS", "LOGS"])
    func whatIsChosenHasTheDefaultEndpoint(signal: String) throws {
        let chosen = settings(["OTEL_\(signal)_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": ""])
        let exporter = chosen.exporter
        let urls = ["TRACES": exporter.traces, "METRICS": exporter.metrics, "LOGS": exporter.logs]
            .compactMapValues { $0?.url }
        #expect(urls == [signal: "http://localhost:4318/v1/\(signal.lowercased())"])
        #expect(chosen.warnings.isEmpty)
        let telemetry = try ClientTelemetry.environment(
            ["OTEL_\(signal)_EXPORTER": "otlp"], transport: ScriptedTransport(.status(200)),
            clock: ManualClock())
        #expect((telemetry.tracer != nil) == (signal == "TRACES"))
        #expect((telemetry.exporter?.metricRequests != nil) == (signal == "METRICS"))
        #expect((telemetry.exporter?.logRecords != nil) == (signal == "LOGS"))
    }

    @Test func valuesAreRead() throws {
        let settings = settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://c:4318", "OTEL_SERVICE_NAME": "shop",
            "OTEL_RESOURCE_ATTRIBUTES": "service.name=other, deployment.environment.name=a%20b",
            "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20x%3Dy,b=2",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
            "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25",
            "OTEL_PROPAGATORS": "tracecontext", "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_BSP_EXPORT_TIMEOUT": "200", "OTEL_BSP_MAX_QUEUE_SIZE": "16",
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "64", "OTEL_SDK_DISABLED": "TRUE",
        ])
        #expect(settings.warnings.isEmpty && settings.isDisabled)
        #expect(
            settings.exporter.resource == [
                "service.name": "shop", "deployment.environment.name": "a b",
            ])
        let traces = try #require(settings.exporter.traces)
        #expect(traces.fields["Authorization"] == "Bearer x=y" && traces.fields["b"] == "2")
        #expect(traces.encoding == .json && traces.isCompressed && traces.timeout == .milliseconds(2_500))
        #expect(settings.tracer.sampler == TraceSampler.share(0.25).parentBased)
        #expect(settings.tracer.sendsTraceContext && !settings.tracer.sendsBaggage)
        #expect(settings.exporter.batchDelay == .milliseconds(100))
        #expect(settings.exporter.exportTimeout == .milliseconds(200))
        #expect(settings.exporter.queueLimit == 16 && settings.exporter.batchLimit == 16)
    }

    /// The fields with it are for nobody else, the default endpoint included.
    @Test(arguments: ["collector:4318", "x", "ftp://c", "https://user:pass@c", "https://"])
    func anEndpointThatCannotBeUsedIsNotReplaced(url: String) {
        let everything = "OTEL_EXPORTER_OTLP_ENDPOINT"
        let exporters = ["TRACES", "METRICS", "LOGS"].map { ("OTEL_\($0)_EXPORTER", "otlp") }
        let all = settings(Dictionary(exporters + [(everything, url)]) { $1 })
        #expect(!all.exporter.hasDestination)
        #expect(
            all.warnings == [
                "\(everything) must be a URL with http or https; nothing is sent for it."
            ])
        let one = settings([everything: "https://c", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": url])
        #expect(one.exporter.traces == nil && one.exporter.metrics?.url == "https://c/v1/metrics")
        #expect(one.warnings.count == 1)
    }

    @Test(arguments: [
        ("http://c:4318", 1), ("https://c", 0), ("http://127.0.0.1:4318", 0), ("http://localhost:4318", 0),
    ])
    func fieldsOverPlainHTTPToAnotherMachineAreOneWarning(url: String, count: Int) {
        let settings = settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=hunter2",
        ])
        #expect(settings.warnings.count == count && settings.exporter.traces?.fields.isEmpty == false)
        #expect(
            settings.warnings.allSatisfy { $0.hasPrefix("OTEL_EXPORTER_OTLP_HEADERS is sent over plain") })
    }

    /// A fragment is never sent (RFC 9110 §4.1): a path behind it would not be either.
    @Test(arguments: ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"])
    func anEndpointHasNoFragment(name: String) {
        let settings = settings([name: "https://c/x#y"])
        #expect(!settings.exporter.hasDestination)
        #expect(settings.warnings == ["\(name) must be a URL without a fragment; nothing is sent for it."])
    }

    @Test func fixedValuesAreCaseInsensitive() throws {
        let settings = settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "HTTP/JSON",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "GZip", "OTEL_TRACES_SAMPLER": "ParentBased_Always_Off",
            "OTEL_PROPAGATORS": "TraceContext", "OTEL_SDK_DISABLED": "False",
            "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "EXPLICIT_BUCKET_HISTOGRAM",
        ])
        let traces = try #require(settings.exporter.traces)
        #expect(settings.warnings.isEmpty && traces.encoding == .json && traces.isCompressed)
        #expect(settings.tracer.sampler == TraceSampler.alwaysOff.parentBased)
        #expect(settings.tracer.sendsTraceContext && !settings.tracer.sendsBaggage)
        #expect(!settings.exporter.usesExponentialHistograms)
    }

    @Test(
        arguments: [
            ("1", 1), ("2147483647", 2_147_483_647), ("2147483648", nil), ("0", nil), ("1.5", nil),
        ] as [(String, Int?)])
    func numbersHaveTheirRange(text: String, number: Int?) {
        let settings = settings(["OTEL_BSP_MAX_QUEUE_SIZE": text, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1"])
        #expect(settings.exporter.queueLimit == number ?? 2_048)
        #expect(
            settings.warnings
                == (number == nil
                    ? [
                        "OTEL_BSP_MAX_QUEUE_SIZE must be an integer from 1 to 2147483647; the value is ignored."
                    ] : []))
    }

    /// A value that cannot be read is not taken for one that is not set.
    @Test func aValueThatIsNotUTF8IsOneWarning() {
        let settings = OpenTelemetryEnvironment(reading: { name in
            switch name {
            case "OTEL_EXPORTER_OTLP_ENDPOINT": .text("https://c")
            case "OTEL_EXPORTER_OTLP_HEADERS": .unreadable
            default: .unset
            }
        })
        #expect(settings.exporter.traces?.fields.isEmpty == true && settings.exporter.logs != nil)
        #expect(settings.warnings == ["OTEL_EXPORTER_OTLP_HEADERS is not UTF-8; the value is ignored."])
    }

    /// Fields that say what a request has are no setting.
    @Test(arguments: ["content-encoding=gzip", "Content-Type=text/plain", "USER-AGENT=x"])
    func aFieldOfTheExporterIsIgnored(fields: String) {
        let settings = settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://c", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=1," + fields,
        ])
        let warning = "OTEL_EXPORTER_OTLP_HEADERS has a header field that the exporter sets itself"
        #expect(settings.warnings == [warning + "; the value is ignored."])
        #expect(settings.exporter.traces?.fields == ["api-key": "1"])
    }

    /// A field that cannot be sent would make each request fail.
    @Test(arguments: ["Host=c", "content-length=1", "a b=1", "key=a%0Ab", "Transfer-Encoding=x"])
    func aFieldThatCannotBeSentIsIgnored(fields: String) throws {
        let settings = settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=1," + fields,
        ])
        let warning = "OTEL_EXPORTER_OTLP_HEADERS has a header field that is not valid; the value is ignored."
        #expect(settings.warnings.contains(warning))
        #expect(settings.exporter.traces?.fields == ["api-key": "1"])
    }

    /// What is set for one signal counts for it alone.
    @Test func valuesOfLogsAndMetricsAreRead() throws {
        let settings = settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL": "http/json",
            "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT": "7", "OTEL_BLRP_SCHEDULE_DELAY": "100",
            "OTEL_BLRP_EXPORT_TIMEOUT": "200", "OTEL_BLRP_MAX_QUEUE_SIZE": "16",
            "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE": "64", "OTEL_METRIC_EXPORT_INTERVAL": "300",
            "OTEL_METRIC_EXPORT_TIMEOUT": "400",
            "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "Cumulative",
            "OTEL_EXPORTER_OTLP_CERTIFICATE": #filePath,
            "OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE": #filePath + "/..",
            "OTEL_EXPORTER_OTLP_LOGS_CLIENT_CERTIFICATE": #filePath,
            "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY": #filePath,
        ])
        #expect(settings.warnings.map { $0.prefix(35) } == ["OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE"])
        let (traces, metrics) = (settings.exporter.traces, settings.exporter.metrics)
        let logs = try #require(settings.exporter.logs)
        #expect(logs.url == "http://c:4318/v1/logs" && logs.encoding == .json)
        #expect(traces?.encoding == .protobuf && metrics?.timeout == .milliseconds(7))
        #expect(traces?.files == TLSFiles(trusted: #filePath) && metrics?.files == traces?.files)
        // A file that cannot be read is not replaced by the certificates of the system.
        #expect(
            logs.files
                == TLSFiles(
                    trusted: #filePath + "/..", client: .init(certificate: #filePath, key: #filePath)))
        let exporter = settings.exporter
        #expect(exporter.logBatchDelay == .milliseconds(100))
        #expect(exporter.logExportTimeout == .milliseconds(200))
        #expect(exporter.logQueueLimit == 16 && exporter.logBatchLimit == 16 && exporter.queueLimit == 2_048)
        #expect(
            exporter.metricsInterval == .milliseconds(300) && exporter.metricsTimeout == .milliseconds(400))
        #expect(self.settings(["OTEL_LOGS_EXPORTER": "none"]).exporter.logs == nil)
        #expect(
            self.settings(["OTEL_LOGS_EXPORTER": "otlp"]).exporter.logs?.url.hasSuffix("4318/v1/logs") == true
        )
    }

    /// One warning, which names the variable and not the value, and the default.
    @Test(arguments: [
        "OTEL_SDK_DISABLED", "OTEL_TRACES_SAMPLER", "OTEL_PROPAGATORS", "OTEL_TRACES_EXPORTER",
        "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TIMEOUT",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_RESOURCE_ATTRIBUTES", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT",
        "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
        "OTEL_BLRP_SCHEDULE_DELAY", "OTEL_BLRP_EXPORT_TIMEOUT", "OTEL_BLRP_MAX_QUEUE_SIZE",
        "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER",
        "OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
        "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
        "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "OTEL_EXPORTER_OTLP_CERTIFICATE",
        "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
        "OTEL_EXPORTER_OTLP_CLIENT_KEY", "OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY",
    ])
    func nonsenseIsOneWarning(name: String) {
        var variables = [name: "hunter2"]
        if name != "OTEL_EXPORTER_OTLP_ENDPOINT", name != "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" {
            variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "http://c/x"
        }
        let settings = settings(variables)
        #expect(settings.warnings.count == 1 && settings.warnings.first?.hasPrefix(name) == true)
        #expect(!settings.warnings.joined().contains("hunter2"))
        #expect(settings.tracer.sampler == TraceSampler.alwaysOn.parentBased)
        #expect(settings.exporter.queueLimit == 2_048 && settings.exporter.traces?.encoding != .json)
    }

    @Test(arguments: ["-0.1", "1.1", "nan", "x"]) func aShareOutOfRangeIsIgnored(text: String) {
        let settings = settings(["OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": text])
        #expect(settings.tracer.sampler == .alwaysOn && settings.warnings.count == 1)
    }

    @Test func telemetryTellsWhatItIgnores() throws {
        final class Lines: Sendable { let list = Locked<[String]>([]) }
        let written = Lines()
        let collector = ScriptedTransport(.status(200))
        let telemetry = try ClientTelemetry.environment(
            [
                "OTEL_TRACES_SAMPLER": "hunter2", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c",
                "OTEL_SERVICE_NAME": "shop",
            ],
            write: { bytes in written.list.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
            transport: collector, clock: ManualClock())
        let text = written.list.withLock { $0 }
        #expect(text.count == 1 && text.first?.contains("OTEL_TRACES_SAMPLER") == true)
        #expect(text.first?.contains("hunter2") == false)
        #expect(
            telemetry.tracer != nil && telemetry.instrument != nil && telemetry.metrics.serviceName == "shop")
        #expect(try ClientTelemetry.environment([:], transport: collector).tracer == nil)
        #expect(
            try ClientTelemetry.environment(
                ["OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"], transport: collector
            ).tracer == nil)
    }

    /// One variable switches on metrics, a log and traces, and sends them.
    @Test func oneVariableSwitchesOnEverything() async throws {
        let collector = ScriptedTransport(.status(200))
        let telemetry = try ClientTelemetry.environment(
            ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"], write: { _ in Issue.record("a line is written") },
            transport: collector, clock: ManualClock())
        try await sendsEverything(telemetry, collector)
        let disabled = try ClientTelemetry.environment(
            ["OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"], transport: collector)
        #expect(disabled.log == nil && disabled.exporter == nil && disabled.tracer == nil)
    }

    /// The same in code.
    @Test func oneLineSwitchesOnEverything() async throws {
        let collector = ScriptedTransport(.status(200))
        let telemetry = try ClientTelemetry(
            exporting: OTLPConfiguration(collector: "http://c/"), transport: collector, clock: ManualClock())
        try await sendsEverything(telemetry, collector)
        #expect(throws: NetworkError.self) {
            try ClientTelemetry(exporting: OTLPConfiguration(collector: "c"))
        }
    }

    private func sendsEverything(_ telemetry: ClientTelemetry, _ collector: ScriptedTransport) async throws {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = telemetry
        let engine = AsyncRequestEngine(
            transport: ScriptedTransport(.status(200)), configuration: configuration)
        _ = try await engine.send(try HTTPRequest(.get, "http://127.0.0.1:1/x"))
        #expect(await telemetry.flush(until: nil))
        #expect(Set(collector.requests.map(\.target)) == ["/v1/traces", "/v1/metrics", "/v1/logs"])
        #expect(telemetry.exporter?.spans?.exported == 2 && telemetry.exporter?.logRecords?.exported == 1)
        #expect(
            telemetry.exporter?.metricRequests?.exported == 1 && telemetry.metrics.snapshot().succeeded == 1)
    }

    /// Destinations with the same files for TLS share a transport, which ends with the telemetry.
    @Test func transportsEndWithTheirTelemetry() async throws {
        final class Provided: Transport {
            let ended: Ended
            init(_ ended: Ended) { self.ended = ended }
            deinit { ended.count.withLock { $0 += 1 } }
            func send(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> HTTPResponse {
                HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
            }
        }
        final class Ended: Sendable { let count = Locked(0) }
        let ended = Ended()
        var files: [TLSFiles] = []
        var telemetry: ClientTelemetry? = try ClientTelemetry.environment([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE": #filePath,
        ])
        // A second engine's are not needed.
        for _ in 0..<2 {
            telemetry?.use {
                files.append($0)
                return Provided(ended)
            }
        }
        #expect(files.count == 2 && Set(files) == [TLSFiles(), TLSFiles(trusted: #filePath)])
        #expect(await telemetry?.flush(until: .after(.seconds(3_600))) == true)
        #expect(telemetry?.exporter?.metricRequests?.exported == 1 && ended.count.withLock { $0 } == 0)
        telemetry = nil
        #expect(await isEventually { ended.count.withLock { $0 } == 2 })
    }

    /// One line: the engine provides the transport, which carries no credential.
    @Test(.tags(.concurrent)) func anEngineProvidesTheTransport() async throws {
        let collector = try EmbeddedGateway.start()
        defer { collector.shutdown() }
        let telemetry = try ClientTelemetry.environment([
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "\(collector.origin)/status/400"
        ])
        var configuration = GatewayConfiguration()
        configuration.events = telemetry
        let engine = GatewayEngine(
            transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport(),
            configuration: configuration)
        _ = try await engine.send(try HTTPRequest(.get, "http://127.0.0.1:1/x"))
        #expect(await telemetry.flush(until: .after(.seconds(3_600))))
        #expect(telemetry.exporter?.spans?.lastFailure == "400" && telemetry.exporter?.spans?.failed == 2)
    }
}
