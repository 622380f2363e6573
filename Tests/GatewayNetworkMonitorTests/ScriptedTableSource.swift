import GatewayCore

@testable import GatewayNetworkMonitor

/// Reports what a test says.
final class ScriptedTableSource: NetworkTableSource {
    private struct State {
        var receive: (@Sendable (NetworkTableReport) -> Void)?
        var isStopped = false
    }
    private let state = Locked(State())
    private let first: NetworkTableReport?

    init(_ first: NetworkTableReport? = nil) { self.first = first }

    var isStarted: Bool { state.withLock { $0.receive != nil } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    func start(_ receive: @escaping @Sendable (NetworkTableReport) -> Void) {
        state.withLock { $0.receive = receive }
        if let first { receive(first) }
    }

    func stop() { state.withLock { $0.isStopped = true } }

    func report(_ report: NetworkTableReport) { state.withLock { $0.receive }?(report) }
}

extension NetworkTableReport {
    static let offline = NetworkTableReport.table(NetworkTable())
    static func online(_ host: UInt8 = 1) -> NetworkTableReport {
        .table(NetworkTable(links: [2: .link(2, "eth0")], addresses: [.ipv4(2, 10, 0, 0, host)]))
    }
}
