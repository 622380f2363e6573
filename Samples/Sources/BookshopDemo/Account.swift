import GatewayClient
import Synchronization

/// Counts what happens to calls, and how long they take.
final class Account: RequestEventSink {
    struct Figures {
        var calls = 0
        var succeeded = 0
        var failed = 0
        var retries = 0
        var replays = 0
        var coalesced = 0
        var durations: [Duration] = []

        /// The duration that this share of the calls did not exceed; `nil` when there were none.
        func percentile(_ share: Double) -> Duration? {
            guard !durations.isEmpty else { return nil }
            let sorted = durations.sorted()
            return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        }
    }

    private let state = Mutex(Figures())

    var figures: Figures { state.withLock { $0 } }

    func record(_ event: borrowing RequestEvent) {
        let kind = event.kind
        state.withLock { figures in
            switch kind {
            case .started: figures.calls += 1
            case .deduplicated: figures.coalesced += 1
            case .retryScheduled: figures.retries += 1
            case .replayed: figures.replays += 1
            case .succeeded(_, _, let duration):
                figures.succeeded += 1
                figures.durations.append(duration)
            case .failed(_, _, let duration):
                figures.failed += 1
                figures.durations.append(duration)
            default: break
            }
        }
    }
}
