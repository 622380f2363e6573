import Dispatch
import GatewayCore
import GatewayTesting

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

/// Passes reports on, and stops the thread that makes them while a test does something.
final class StoppableSource: NetworkTableSource {
    private enum State { case running, stopping, stopped }

    private let source: any NetworkTableSource
    private let state = Locked(State.running)
    private let isOver = DispatchSemaphore(value: 0)

    init(_ source: any NetworkTableSource) { self.source = source }

    func start(_ receive: @escaping @Sendable (NetworkTableReport) -> Void) {
        source.start { [self] report in
            receive(report)
            let stops = state.withLock { state in
                guard state == .stopping else { return false }
                state = .stopped
                return true
            }
            if stops { isOver.wait() }
        }
    }

    func stop() { source.stop() }

    /// Stops the thread at the next report, and lets it go on when a test has done something.
    ///
    /// - Parameter cause: makes the next report.
    func stopped(by cause: () throws -> Void, while body: () throws -> Void) async throws {
        state.withLock { $0 = .stopping }
        try cause()
        guard await isEventually(within: .seconds(60), { state.withLock { $0 == .stopped } }) else {
            throw WaitFailure(description: "there was no report in 60 s")
        }
        defer { isOver.signal() }
        try body()
    }
}

/// The status that a monitor has read last, before it is settled.
final class LatestReachability: Sendable {
    /// Shared with the task, which does not keep its owner.
    private final class Value: Sendable {
        let status: Locked<Reachability>
        init(_ status: Reachability) { self.status = Locked(status) }
    }

    private let value: Value
    private let follower: Task<Void, Never>

    init(of monitor: ReachabilityMonitor) {
        // The stream first, so that nothing is missed between the two.
        let statuses = monitor.rawStreams.stream()
        let value = Value(monitor.reachability)
        self.value = value
        follower = Task { for await status in statuses { value.status.withLock { $0 = status } } }
    }

    deinit { follower.cancel() }

    /// Whether a status is read that fits. Prints what was read last if it is not.
    func becomes(_ what: String, _ fits: (Reachability) -> Bool) async -> Bool {
        if await isEventually(within: .seconds(60), { value.status.withLock { fits($0) } }) { return true }
        print("\(what) was not seen in 60 s; the last status is \(value.status.withLock { $0 })")
        return false
    }
}

extension ManualClock {
    /// Lets time pass for a delay that has begun or is about to. A delay that does not begin is an error.
    func pass(_ time: Duration) async throws {
        guard await isEventually({ sleeperCount > 0 }) else {
            throw WaitFailure(description: "no delay has begun")
        }
        advance(by: time)
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
