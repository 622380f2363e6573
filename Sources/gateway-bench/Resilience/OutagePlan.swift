/// The times of an outage, in seconds. All follow from its length, so that a short run shows the same as a long one.
struct OutagePlan {
    /// How long the server fails.
    let outage: Double
    /// Calls in each second.
    let rate: Int

    /// How long calls are made before the outage; the first half second opens connections and is not measured.
    var before: Double { min(3, 0.5 + deadline + outage / 4) }
    /// The deadline of each call.
    var deadline: Double { min(1, outage / 5) }
    /// The time in which a circuit breaker has to open.
    var window: Double { min(3, outage / 2) }
    /// How long a circuit breaker stays open at first; at most twice as long.
    var openFor: Double { min(5, outage / 6) }
    /// The time in which the former rate has to be reached after the outage.
    var grace: Double { min(5, outage) }
    /// The last part of it, which is measured.
    var measured: Double { min(1, grace / 2) }
}
