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
        /// How long after its deadline the call ended, and the control timer of the same deadline, in seconds. Only if the
        /// deadline ended the call.
        let lateness: (call: Double, control: Double)?
    }

    let engine: GatewayEngine
    let origin: Origin
    let path: String
    let rate: Int
    let deadline: Duration
    /// Whether each call has a control timer.
    let isTimed: Bool
    let timer: ControlTimer

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
        let limit = isTimed ? context.deadline?.instant : nil
        let control = limit.map { limit in Task { await timer.wait(until: limit) } }
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
        var lateness: (call: Double, control: Double)?
        if isLate, let control, let limit {
            lateness = (
                limit.duration(to: end) / .seconds(1), limit.duration(to: await control.value) / .seconds(1)
            )
        }
        return Record(
            begin: start.duration(to: begin) / .seconds(1), end: start.duration(to: end) / .seconds(1),
            isSuccess: isSuccess, attempts: attempts, code: code, lateness: lateness)
    }
}
