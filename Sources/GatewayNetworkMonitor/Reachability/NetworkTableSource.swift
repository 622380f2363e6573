/// What a source says of the machine's tables.
enum NetworkTableReport: Sendable {
    case table(NetworkTable)
    /// The tables cannot be read, for this reason.
    case unavailable(String)
}

/// Where the tables come from: netlink, or a test.
protocol NetworkTableSource: Sendable {
    /// The tables now, if they can be read without waiting: the monitor is right from the start. `nil` by default.
    func readNow() -> NetworkTable?
    /// Begins to report: the tables now, then after each change. Reports do not overlap.
    func start(_ receive: @escaping @Sendable (NetworkTableReport) -> Void)
    /// Ends the reports.
    func stop()
}

extension NetworkTableSource {
    func readNow() -> NetworkTable? { nil }
}
