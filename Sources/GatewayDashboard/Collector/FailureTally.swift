import GatewayCore

/// Why calls failed in the last 10 s, by operation and reason. Bounded in number.
struct FailureTally: Sendable {
    enum Failure: Hashable, Sendable {
        case status(Int)
        case error(NetworkError.Code)
    }

    /// What is told of a failure.
    struct Reason: Hashable, Sendable {
        let origin: Origin
        let failure: Failure
        let side: Side
    }

    struct Key: Hashable, Sendable {
        let reason: Reason
        let operation: Operation?
        /// The phase of an error, if it is known.
        let phase: NetworkError.Phase?

        /// Whether there was no connection.
        var isConnecting: Bool {
            switch phase {
            case .resolve, .connect, .tls: return true
            default: break
            }
            guard case .error(let code) = reason.failure else { return false }
            return code == .dnsFailure || code == .connectionRefused || code == .noConnection
        }
    }

    private static let stepNanoseconds: UInt64 = 2_000_000_000
    private static let keyLimit = 200

    private var steps: [[Key: Int]] = Array(repeating: [:], count: 6)
    private var newest: UInt64 = 0

    /// Counts a call that failed.
    mutating func count(_ key: Key, at time: UInt64) {
        move(to: time)
        let index = Int(newest % 6)
        if steps[index][key] == nil, steps[index].count >= Self.keyLimit { return }
        steps[index][key, default: 0] += 1
    }

    /// The counts of the last 10 to 12 s.
    mutating func counts(at time: UInt64) -> [Key: Int] {
        move(to: time)
        return steps.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }

    private mutating func move(to time: UInt64) {
        let step = time / Self.stepNanoseconds
        guard step > newest else { return }
        for offset in 0..<min(6, step - newest) { steps[Int((step - offset) % 6)] = [:] }
        newest = step
    }
}

extension FailureTally.Key {
    /// `nil` for a call that did not fail.
    init?(_ outcome: CallRecord.Outcome, of operation: Operation?, at origin: Origin) {
        switch outcome {
        case .status(let status) where status >= 400:
            reason = .init(origin: origin, failure: .status(status), side: Side(status: status))
            phase = nil
        case .error(let cause):
            reason = .init(origin: cause.origin ?? origin, failure: .error(cause.code), side: Side(cause))
            phase = cause.phase
        case .status, .cancelled: return nil
        }
        self.operation = operation
    }
}
