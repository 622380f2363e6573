import GatewayCore

/// Detects identifiers of assertions (RFC 7523 §3) and proofs (RFC 9449 §11.1) that are used again.
final class ReplayGuard: Sendable {
    private let seen = Locked<[String: Int64]>([:])
    /// The number of identifiers at which expired ones are removed.
    private static let limit = 100_000

    /// Records an identifier.
    ///
    /// - Returns: whether it is new.
    func isNew(_ id: String, until end: Int64, now: Int64) -> Bool {
        seen.withLock { seen in
            if seen.count >= Self.limit { seen = seen.filter { $0.value > now } }
            return seen.updateValue(end, forKey: id) == nil
        }
    }
}
