import GatewayCore

/// Why calls failed in the last 10 s, by origin and reason. Bounded in number.
struct FailureTally: Sendable {
    enum Reason: Hashable, Sendable {
        case status(Int)
        case error(NetworkError.Code)
    }

    struct Key: Hashable, Sendable {
        let origin: Origin
        let reason: Reason
        let side: Side
    }

    private static let stepNanoseconds: UInt64 = 2_000_000_000
    private static let keyLimit = 50

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
    init?(_ outcome: CallRecord.Outcome, at origin: Origin) {
        switch outcome {
        case .status(let status) where status >= 400:
            self.init(origin: origin, reason: .status(status), side: Side(status: status))
        case .error(let cause):
            self.init(origin: cause.origin ?? origin, reason: .error(cause.code), side: Side(cause))
        case .status, .cancelled: return nil
        }
    }
}
