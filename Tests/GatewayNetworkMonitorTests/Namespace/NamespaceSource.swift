import GatewayCore

@testable import GatewayNetworkMonitor

/// Watches a namespace: the thread of the watcher enters it before it opens its sockets.
extension NetlinkWatcher {
    convenience init(
        in namespace: NetworkNamespace, _ change: (inout Settings) -> Void = { _ in }
    ) {
        var settings = Settings()
        settings.prepareThread = { [weak namespace] in namespace?.enter() ?? false }
        change(&settings)
        self.init(settings)
    }
}

/// Numbers in the order of size, and what they say.
struct Latencies: CustomStringConvertible {
    var values: [Duration] = []

    var median: Duration { values.isEmpty ? .zero : values.sorted()[values.count / 2] }
    var percentile95: Duration { values.isEmpty ? .zero : values.sorted()[values.count * 95 / 100] }
    var largest: Duration { values.max() ?? .zero }

    /// What a limit is compared with. Of few values the 95th percentile is the largest, and single ones are late on a machine
    /// that is busy with something else.
    var usual: Duration { values.count < 100 ? median : percentile95 }

    var description: String { "\(median) \(percentile95) \(largest) (p50, p95, max of \(values.count))" }
}
