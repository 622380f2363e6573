import GatewayClient

/// Calls at a constant rate, however long each takes: an open loop. A server that fails sees the load of callers that do not
/// wait for it.
struct OfferedCalls: Sendable {
    /// What became of a call. Times are seconds since the first call.
    struct Record: Sendable {
        let begin: Double
        let end: Double
        let isSuccess: Bool
        /// Attempts that reached the wire.
        let attempts: Int
        let code: NetworkError.Code?
        /// How much later than the control timer the call ended, in seconds, if its deadline ended it.
        let lateness: Double?
    }

    let engine: GatewayEngine
    let origin: Origin
    let path: String
    let rate: Int
    let deadline: Duration
    /// Whether each call has a control timer.
    let isTimed: Bool

    private final class Records: Sendable { let all = Locked<[Record]>([]) }

    /// Makes calls for a time and returns when all have ended.
    ///
    /// - Parameter start: the instant of the first call.
    func run(from start: ContinuousClock.Instant, for seconds: Double) async -> [Record] {
        let records = Records()
        await withDiscardingTaskGroup { group in
            for number in 0..<Int(seconds * Double(rate)) {
                let due = start + .seconds(Double(number) / Double(rate))
                // Calls that are due at almost the same time begin together.
                if due - .now > .milliseconds(1) { try? await Task.sleep(until: due, tolerance: .zero) }
                group.addTask {
                    let record = await call(number, since: start)
                    records.all.withLock { $0.append(record) }
                }
            }
        }
        return records.all.withLock { $0 }
    }

    private func call(_ number: Int, since start: ContinuousClock.Instant) async -> Record {
        var options = CallOptions()
        options.deadline = deadline
        let context = RequestContext(options: options)
        let begin = ContinuousClock.now
        // An unstructured task: its end is only of interest if the deadline ends the call.
        let control = isTimed ? context.deadline.map { Self.timer(at: $0.instant) } : nil
        let request = HTTPRequest(method: .get, origin: origin, target: "\(path)?n=\(number)")
        var (isSuccess, attempts, code, isLate) = (false, 0, NetworkError.Code?.none, false)
        do {
            let response = try await engine.send(request, context: context)
            isSuccess = response.isSuccess
            attempts = response.exchange.attempts
        } catch {
            attempts = error.attempts
            code = error.code
            isLate = error.limit == .call
        }
        let end = ContinuousClock.now
        var lateness: Double?
        if let control {
            if isLate {
                lateness = await control.value.duration(to: end) / .seconds(1)
            } else {
                control.cancel()
            }
        }
        return Record(
            begin: start.duration(to: begin) / .seconds(1), end: start.duration(to: end) / .seconds(1),
            isSuccess: isSuccess, attempts: attempts, code: code, lateness: lateness)
    }

    /// A timer of this process; its value is when it fired.
    private static func timer(at instant: ContinuousClock.Instant) -> Task<ContinuousClock.Instant, Never> {
        Task {
            try? await Task.sleep(until: instant, tolerance: .zero)
            return .now
        }
    }
}
