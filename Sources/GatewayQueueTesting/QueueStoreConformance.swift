import GatewayCore
public import GatewayOfflineQueue

/// What every ``GatewayOfflineQueue/QueueStore`` must do, checked.
///
/// ```swift
/// @Test func conforms() {
///     #expect(QueueStoreConformance { MyStore() }.failures() == [])
/// }
/// ```
/// Failures are values, so that the suite returns the same inside a test run and outside of one.
public struct QueueStoreConformance: Sendable {
    /// Damages what a store has of an entry.
    public typealias Damage = @Sendable (any QueueStore, QueueEntry.ID) throws(QueueError) -> Void

    private let make: @Sendable () throws(QueueError) -> any QueueStore
    private let rounds: Int
    let damage: Damage?

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - rounds: the number of random comparisons with ``GatewayOfflineQueue/MemoryQueueStore``, of 300 operations each. With
    ///     less than 12 not every operation occurs often.
    ///   - damage: damages what a store has of an entry; `nil` for stores of which nothing can be damaged.
    ///   - make: makes an empty store, another one each time.
    public init(
        rounds: Int = 12, damage: Damage? = nil,
        _ make: @escaping @Sendable () throws(QueueError) -> any QueueStore
    ) {
        self.rounds = max(0, rounds)
        self.damage = damage
        self.make = make
    }

    /// Runs all checks. They wait for the commits of the store some thousand times.
    ///
    /// - Returns: what is wrong, each with the name of its check; empty if the store conforms.
    public func failures() -> [String] {
        let checks: [(String, (any QueueStore) throws -> Void)] = [
            ("same bytes", sameBytes), ("fenced completion", fencedCompletion),
            ("exchange", exchange), ("order by key", orderByKey), ("ambiguous", ambiguous),
            ("attempts", attempts), ("skipped", skipped), ("damaged", damaged),
            ("clock behind", clockBehind), ("repeat window", repeatWindowAhead),
            ("clock ahead", clockAhead), ("expired", expired), ("parked account", parkedAccount),
            ("duplicates", duplicates), ("limits", limits), ("cancel once", cancelOnce), ("ageing", ageing),
        ]
        var failures: [String] = []
        for (name, check) in checks {
            do { try check(try make()) } catch {
                let text =
                    (error as? Finding)?.text ?? "threw \((error as? QueueError)?.code.name ?? "\(error)")"
                failures.append("\(name): \(text)")
            }
        }
        return failures + randomOperations()
    }

    /// What is wrong with a store; it ends its check.
    struct Finding: Error { let text: String }

    func expect(_ isSo: Bool, _ text: String) throws(Finding) {
        if !isSo { throw Finding(text: text) }
    }

    /// Compares the store with the one in memory.
    private func randomOperations() -> [String] {
        for seed in 0..<UInt64(rounds) {
            do throws(QueueError) {
                var comparison = QueueStoreComparison(try make(), seed: seed + 1)
                if let difference = try comparison.run(steps: 300) {
                    return ["random operations: seed \(seed + 1), \(difference)"]
                }
            } catch { return ["random operations: seed \(seed + 1), threw \(error.code.name)"] }
        }
        return []
    }
}

extension QueueStoreConformance: Redacted {}
