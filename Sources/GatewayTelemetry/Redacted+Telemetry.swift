import GatewayCore

extension ClientTelemetry: Redacted {}
extension JSONLogSink: Redacted {}
extension RequestMetricsCollector: Redacted {}
