internal import GatewayCore

/// The qualities of the ways to all origins, and of all together.
struct QualityEstimator: Sendable {
    /// A quality that has changed, of the way to an origin or of all.
    struct Change: Equatable {
        let origin: Origin?
        let from: NetworkCondition.Quality
        let to: NetworkCondition.Quality
    }

    /// Origins beyond this number are judged by all together.
    private static let capacity = 256

    let policy: QualityPolicy
    private var all: QualityStateMachine
    private var origins: [Origin: QualityStateMachine] = [:]

    init(_ policy: QualityPolicy) {
        self.policy = policy
        all = QualityStateMachine(policy)
    }

    /// The quality of all ways together.
    var quality: NetworkCondition.Quality { all.quality }

    /// The quality of the way to an origin; that of all if nothing is known of it.
    func quality(for origin: Origin) -> NetworkCondition.Quality { origins[origin]?.quality ?? all.quality }

    /// Reads an exchange.
    mutating func add(
        _ timings: ExchangeTimings, of origin: Origin, at now: ContinuousClock.Instant
    ) -> [Change] {
        // What stays on this machine says nothing of the network.
        guard !origin.isLoopback, timings.connection?.address.map(Origin.isLoopback) != true else {
            return []
        }
        var changes: [Change] = []
        let before = all.quality
        if let after = all.add(timings, at: now) {
            changes.append(Change(origin: nil, from: before, to: after))
        }
        guard origins[origin] != nil || origins.count < Self.capacity else { return changes }
        var machine = origins[origin] ?? QualityStateMachine(policy)
        let old = machine.quality
        if let new = machine.add(timings, at: now) {
            changes.append(Change(origin: origin, from: old, to: new))
        }
        origins[origin] = machine
        return changes
    }

    /// Forgets everything, as when the network is another one.
    mutating func reset() { self = QualityEstimator(policy) }
}
