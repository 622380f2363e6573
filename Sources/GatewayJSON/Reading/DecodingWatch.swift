import Synchronization

/// Bounds the work of decoding one document, and ends it when the task is cancelled or out of time.
///
/// A union that tries one branch after another reads its value several times, and within unions these times multiply. A
/// unit of work is about one value or 32 bytes of a long string. Once it has thrown, it throws at every further use, so
/// that no branch is tried after that.
final class DecodingWatch: Sendable {
    /// Returns why decoding is to end, asked once in a while.
    typealias Interruption = @Sendable () -> JSONError.Code?

    /// How many times a document may be read.
    private static let readings = 16
    /// The units between two checks.
    static let interval = 16_384

    /// The units until the next check. Relaxed and without a lock: a lost update only delays a check.
    private let left: Atomic<Int>
    /// The units until the work is too much.
    private let allowance: Atomic<Int>
    private let hasEnded = Atomic(false)
    private let interruption: Interruption?

    init(values: Int, bytes: Int, interruption: Interruption?) {
        // No more than 2^31 bytes, and as many values, get here.
        let allowance = Self.readings * (values + bytes / 32) + 4_096
        let first = min(allowance, Self.interval)
        left = Atomic(first)
        self.allowance = Atomic(allowance - first)
        self.interruption = interruption
    }

    /// Counts work before it is done.
    @inline(__always)
    func charge(_ units: Int) throws(JSONError) {
        let rest = left.load(ordering: .relaxed) &- units
        left.store(rest, ordering: .relaxed)
        if rest < 0 { try check(rest) }
    }

    /// Stops counting: the document was decoded, and what is read of it later is no part of that.
    func end() { hasEnded.store(true, ordering: .relaxed) }

    @inline(never)
    private func check(_ rest: Int) throws(JSONError) {
        guard !hasEnded.load(ordering: .relaxed) else { return left.store(.max, ordering: .relaxed) }
        let allowed = allowance.load(ordering: .relaxed)
        guard allowed >= -rest else {
            throw JSONError(.tooComplex, "the branches of unions are tried too many times")
        }
        if let code = interruption?() { throw Self.interrupted(code) }
        let next = min(allowed + rest, Self.interval)
        allowance.store(allowed + rest - next, ordering: .relaxed)
        left.store(next, ordering: .relaxed)
    }

    static func interrupted(_ code: JSONError.Code) -> JSONError {
        JSONError(
            code, code == .cancelled ? "the task was cancelled" : "the deadline of the call has passed")
    }
}
