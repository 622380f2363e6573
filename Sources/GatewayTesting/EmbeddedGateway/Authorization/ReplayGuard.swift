import GatewayCore

/// Remembers what must not come twice: identifiers of assertions (RFC 7523 §3) and of proofs (RFC 9449 §11.1).
final class ReplayGuard: Sendable {
    private let seen = Locked<[String: Int64]>([:])
    /// So many are remembered; when there are more, those that have ended are forgotten.
    private static let limit = 100_000

    /// Takes note of an identifier.
    ///
    /// - Returns: whether it is new.
    func isNew(_ id: String, until end: Int64, now: Int64) -> Bool {
        seen.withLock { seen in
            if seen.count >= Self.limit { seen = seen.filter { $0.value > now } }
            return seen.updateValue(end, forKey: id) == nil
        }
    }
}
