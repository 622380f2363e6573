import GatewayCore
import GatewayJSON
import GatewayTelemetry

extension Snapshot {
    static let operationLimit = 200

    private static let windows: [(id: String, window: MetricsWindow)] = [
        ("10s", .tenSeconds), ("1m", .oneMinute), ("5m", .fiveMinutes),
    ]

    /// The figures of all calls, by window.
    func writeTotals(to writer: inout JSONWriter) {
        writer.object("totals") { writer in
            for (id, window) in Self.windows {
                if let figures = metrics.windows[window] { writer.object(id) { figures.write(to: &$0) } }
            }
            writer.object("all") { metrics.total.write(to: &$0) }
        }
    }

    /// The operations, those with the most calls in 5 min first; at most ``operationLimit``.
    var operations: [[UInt8]] {
        let recent = metrics.windows[.fiveMinutes]?.operations ?? [:]
        let sorted = metrics.total.operations.map { operation, total in
            (operation: operation, recent: recent[operation]?.started ?? 0, total: total.started)
        }.sorted {
            ($1.recent, $1.total, $0.operation?.id ?? "") < ($0.recent, $0.total, $1.operation?.id ?? "")
        }
        var lines = shared.sparklines
        return sorted.prefix(Self.operationLimit).map { each in
            object(of: each.operation, spark: lines.counts(of: each.operation, at: now))
        }
    }

    private func object(of operation: Operation?, spark: [UInt32]) -> [UInt8] {
        JSONText.object { writer in
            if let operation {
                writer.text("id", operation.id)
                writer.text("method", operation.method?.rawValue)
                if !operation.template.isEmpty { writer.text("template", operation.template) }
            }
            writer.name("w")
            writer.beginArray()
            for (_, window) in Self.windows {
                metrics.windows[window]?.operations[operation].write(to: &writer)
            }
            writer.endArray()
            let inProgress = metrics.total.operations[operation]?.inProgress ?? 0
            if inProgress > 0 { writer.count("in_progress", inProgress) }
            writer.count("max", Int(spark.max() ?? 0))
            writer.text("spark", Self.digits(spark))
        }
    }

    /// One digit, 0 to 9 and a to z, for each count: its share of the largest one.
    static func digits(_ counts: [UInt32]) -> String {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
        let most = UInt64(counts.max() ?? 0)
        let padding = repeatElement(digits[0], count: max(0, Sparklines.stepCount - counts.count))
        let shares = counts.map { count in
            most == 0 ? digits[0] : digits[Int((UInt64(count) * 35 + most - 1) / most)]
        }
        return String(decoding: padding + shares, as: UTF8.self)
    }
}

extension WindowedMetrics.Window {
    fileprivate func write(to writer: inout JSONWriter) {
        let all = all
        writer.name("seconds")
        writer.number((covered.milliseconds / 100).rounded() / 10)
        writer.count("started", all.started)
        writer.count("succeeded", all.succeeded)
        writer.count("failed", all.failed)
        writer.count("error_responses", all.errorResponses)
        writer.count("cancelled", all.cancelled)
        writer.count("retries", all.retries)
        writer.count("replays", all.replays)
        writer.count("joined", all.deduplicated)
        writer.count("in_progress", all.inProgress)
        writer.milliseconds("mean_ms", all.averageDuration)
        writer.milliseconds("p50_ms", all.p50)
        writer.milliseconds("p95_ms", all.p95)
        writer.milliseconds("p99_ms", all.p99)
        writer.milliseconds("max_ms", all.durations.maximum)
    }
}

extension RequestMetrics? {
    /// An array of fixed positions; `null` if nothing happened.
    fileprivate func write(to writer: inout JSONWriter) {
        guard let self, self.started + self.succeeded + self.failed + self.cancelled > 0 else {
            return writer.null()
        }
        writer.beginArray()
        writer.integer(self.started)
        writer.integer(self.failed)
        for percentile in [self.p50, self.p95, self.p99] { writer.nullableMilliseconds(percentile) }
        writer.integer(self.cancelled)
        writer.endArray()
    }
}
