import GatewayCore

/// Why a call is rejected, and the counts at that moment.
struct BulkheadRejection: Hashable, Sendable {
    enum Reason: Hashable, Sendable {
        /// Too many calls wait: for the origin, or in total.
        case full(inAll: Bool)
        /// A call of a higher priority has taken its place in the queue.
        case displaced
        /// The expected wait, which is longer than the call's limit.
        case hopeless(Duration)
        /// Its time limit of the wait has passed.
        case expired
    }

    let reason: Reason
    /// The limit of the origin.
    let limit: Int
    /// The calls in progress in total.
    let inUse: Int
    /// The calls that wait for the origin.
    let waiting: Int
    /// The calls that wait in total.
    let waitingInAll: Int
}

extension BulkheadRejection {
    /// The error of the call.
    ///
    /// - Parameter limit: the time limit of the wait: its phase and its length.
    func error(
        _ origin: Origin?, _ policy: BulkheadPolicy, limit timeLimit: (phase: NetworkError.Phase, Duration?)
    ) -> NetworkError {
        let server = origin.map { " to \($0)" } ?? ""
        let permits =
            (inUse >= policy.inAll
                ? "\(policy.inAll) of \(policy.inAll) permits are in use (bulkhead.inAll)"
                : "\(self.limit) of \(self.limit) permits\(server) are in use (bulkhead.perOrigin)")
        let numbers = "\(permits), waiting: \(waiting)."
        let advice = "Send fewer calls at a time, or raise a limit."
        let name = timeLimit.phase == .call ? "the call's deadline" : "the limit of the wait (limits.queue)"
        let time = timeLimit.1.map { " of \($0.text)" } ?? ""
        switch reason {
        case .full(let inAll):
            let room =
                inAll
                ? "calls wait in all (bulkhead.waitingInAll)"
                : "calls\(server) wait (bulkhead.waitingPerOrigin)"
            return overloaded("Too many \(room): \(numbers) \(advice)", origin)
        case .displaced:
            return overloaded(
                "A call of a higher priority took its place in the queue: \(numbers) \(advice)", origin)
        case .hopeless(let wait):
            return overloaded(
                "The call would wait about \(wait.text) for a permit, longer than \(name)\(time): \(numbers) \(advice)",
                origin)
        case .expired where timeLimit.phase == .call:
            return NetworkError(
                .timeout, "The call's deadline\(time) passed while it waited for a permit: \(numbers)",
                origin: origin, phase: .queue, limit: .call)
        case .expired:
            return overloaded(
                "No permit became free within \(name)\(time): \(numbers) \(advice)", origin, limit: .queue)
        }
    }

    private func overloaded(
        _ message: String, _ origin: Origin?, limit: NetworkError.Phase? = nil
    ) -> NetworkError {
        NetworkError(.overloaded, message, origin: origin, phase: .queue, limit: limit)
    }
}
