import GatewayCore

/// The calls of each operation that ended in the last ten minutes, in steps of 20 s. Bounded in number.
struct Sparklines: Sendable {
    /// The length of a step.
    static let stepNanoseconds: UInt64 = 20_000_000_000
    /// The number of steps.
    static let stepCount = 30

    struct Line: Sendable {
        private var counts: [30 of UInt32] = .init(repeating: 0)
        private var newest: UInt64 = 0

        /// Counts a call.
        mutating func count(at time: UInt64) {
            move(to: time)
            counts[Int(newest % 30)] &+= 1
        }

        /// The counts up to a time, oldest first.
        mutating func counts(at time: UInt64) -> [UInt32] {
            move(to: time)
            // Before the first 10 minutes, the steps after the newest are those before the start.
            return (1...30).map { counts[Int((newest + $0) % 30)] }
        }

        private mutating func move(to time: UInt64) {
            let step = time / Sparklines.stepNanoseconds
            guard step > newest else { return }
            for offset in 0..<min(30, step - newest) { counts[Int((step - offset) % 30)] = 0 }
            newest = step
        }
    }

    /// An operation, hashed by its ID alone.
    private struct Key: Hashable, Sendable {
        let operation: Operation?

        func hash(into hasher: inout Hasher) { hasher.combine(operation?.id) }
    }

    private let limit: Int
    private var positions: [Key: Int] = [:]
    private var keys: [Key] = []
    private var lines: [Line] = []
    /// The position of the latest operation: many calls have the same one as those before.
    private var latest = 0

    /// - Parameter limit: the maximum number of operations. Calls of further ones count as ``GatewayCore/Operation/other``.
    init(limit: Int) { self.limit = max(2, limit) }

    /// Counts a call that has ended.
    mutating func count(_ operation: Operation?, at time: UInt64) {
        lines[position(of: Key(operation: operation))].count(at: time)
    }

    private mutating func position(of key: Key) -> Int {
        if latest < keys.count, keys[latest] == key { return latest }
        if let known = positions[key] {
            latest = known
            return known
        }
        if keys.count >= limit - 1, key.operation != .other { return position(of: Key(operation: .other)) }
        positions[key] = keys.count
        keys.append(key)
        lines.append(Line())
        return keys.count - 1
    }

    /// The counts of an operation up to a time, oldest first; empty if it has none.
    mutating func counts(of operation: Operation?, at time: UInt64) -> [UInt32] {
        guard let position = positions[Key(operation: operation)] else { return [] }
        return lines[position].counts(at: time)
    }
}
