internal import GatewayCore

/// The median of the latest samples, of which older ones count less.
struct DecayingMedian: Sendable {
    private struct Sample {
        var value: Double
        var instant: ContinuousClock.Instant
    }

    let capacity: Int
    let halfLife: Duration
    let interval: Duration
    private var samples: [Sample] = []
    private var begin: ContinuousClock.Instant?

    init(capacity: Int, halfLife: Duration, interval: Duration) {
        self.capacity = capacity
        self.halfLife = halfLife
        self.interval = interval
    }

    /// Adds a sample. It replaces the one before if that began less than the interval ago.
    mutating func add(_ value: Double, at now: ContinuousClock.Instant) {
        if let begin, begin.duration(to: now) < interval, !samples.isEmpty {
            samples[samples.count - 1] = Sample(value: value, instant: now)
            return
        }
        begin = now
        if samples.count >= capacity { samples.removeFirst() }
        samples.append(Sample(value: value, instant: now))
    }

    /// The median; `nil` without a sample of the last ten half-lives.
    func value(at now: ContinuousClock.Instant) -> Double? {
        let weighted = samples.compactMap { sample -> (value: Double, weight: Double)? in
            let age = max(.zero, sample.instant.duration(to: now)) / halfLife
            return age < 10 ? (sample.value, Self.half(toThe: age)) : nil
        }.sorted { $0.value < $1.value }
        let half = weighted.reduce(0) { $0 + $1.weight } / 2
        var sum = 0.0
        for (value, weight) in weighted {
            sum += weight
            if sum >= half { return value }
        }
        return nil
    }

    /// `0.5` to this power, linear between whole numbers: it needs no mathematical library.
    private static func half(toThe power: Double) -> Double {
        let whole = power.rounded(.down)
        return Double(sign: .plus, exponent: -Int(whole), significand: 1) * (1 - (power - whole) / 2)
    }

    mutating func removeAll() {
        samples = []
        begin = nil
    }
}
