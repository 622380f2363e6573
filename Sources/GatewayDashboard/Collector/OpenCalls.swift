import GatewayCore

/// The calls in progress, in several parts, so that threads rarely wait for each other.
final class OpenCalls: Sendable {
    private struct Part {
        var calls: [UInt64: CallRecord] = [:]
        var untracked = 0
    }

    private final class Stripe: Sendable {
        let part = Locked(Part())
    }

    private static let stripeCount = 16
    private let stripes = (0..<stripeCount).map { _ in Stripe() }
    /// The maximum number of calls of a part. Further calls are not tracked: their ends are counted, but they have no steps.
    private let limit: Int

    /// - Parameter limit: the maximum number of calls, which is divided among the parts.
    init(limit: Int) { self.limit = max(1, limit / Self.stripeCount) }

    private subscript(id: UInt64) -> Stripe { stripes[Int(id % UInt64(Self.stripeCount))] }

    /// Adds a call that begins.
    func begin(_ record: CallRecord) {
        self[record.id].part.withLock { part in
            guard part.calls.count < limit else {
                part.untracked += 1
                return
            }
            part.calls[record.id] = record
        }
    }

    /// Changes a call, if it is tracked.
    func change(_ id: UInt64, _ body: (CallRecord) -> Void) {
        self[id].part.withLock { part in
            if let call = part.calls[id] { body(call) }
        }
    }

    /// Removes a call that has ended; `nil` if it is not tracked.
    func end(_ id: UInt64) -> CallRecord? { self[id].part.withLock { $0.calls.removeValue(forKey: id) } }

    /// How many calls were not tracked because there were too many.
    var untrackedCount: Int { stripes.reduce(0) { $0 + $1.part.withLock { $0.untracked } } }

    /// Copies of the calls that began first.
    func oldest(_ count: Int) -> [CallRecord] {
        var oldest: [CallRecord] = []
        for stripe in stripes {
            oldest += stripe.part.withLock { part in
                part.calls.values.sorted { $0.begin < $1.begin }.prefix(count).map { CallRecord($0) }
            }
        }
        return Array(oldest.sorted { ($0.begin, $0.id) < ($1.begin, $1.id) }.prefix(count))
    }
}
