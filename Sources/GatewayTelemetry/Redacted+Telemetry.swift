import GatewayCore

extension ClientTelemetry: Redacted {}
extension JSONLogSink: Redacted {}
extension RequestMetricsCollector: Redacted {}
extension ClientTracer: Redacted {}
extension ClientTracer.Options: Redacted {}
extension OTLPConfiguration: Redacted {}
extension OTLPConfiguration.Destination: Redacted {}
extension OTLPExporter: Redacted {}
extension OpenTelemetryEnvironment: Redacted {}
