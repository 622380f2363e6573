import GatewayCore

/// Sends the metrics of a collector regularly. While a request is in progress, one more may wait; a later one replaces it, since
/// each has the sums of all.
final class MetricsExporter: Sendable {
    private let collector: RequestMetricsCollector
    private let batches: BatchExporter<MetricSnapshot>
    private let timer: Task<Void, Never>

    init(
        _ configuration: OTLPConfiguration, _ sender: OTLPSender, _ resource: OTLPResource,
        collector: RequestMetricsCollector
    ) {
        let isExponential = configuration.usesExponentialHistograms
        let batches = BatchExporter<MetricSnapshot>(
            BatchLimits(timeout: configuration.metricsTimeout), sender, keepsLatest: true
        ) { snapshots in
            snapshots.last.map { resource.request($0, isExponential: isExponential) } ?? OTLPMessage()
        }
        self.collector = collector
        self.batches = batches
        let (clock, interval) = (sender.clock, configuration.metricsInterval)
        timer = Task.detached {
            while true {
                do { try await clock.sleep(until: clock.now.adding(interval)) } catch { return }
                batches.add(await collector.exportSnapshot())
            }
        }
    }

    deinit { timer.cancel() }

    /// The requests, by what became of them.
    var counts: ExportCounts { batches.counts }

    /// Sends the metrics of this moment.
    func flush(until deadline: Deadline) async -> Bool {
        batches.add(await collector.exportSnapshot())
        return await batches.flush(until: deadline)
    }
}
