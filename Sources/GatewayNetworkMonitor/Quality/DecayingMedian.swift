internal import GatewayCore

/// The median of the latest samples, of which older ones count less.
///
/// The samples cover a window of time together: each covers an interval, or as long as it took if nothing else was measured
/// meanwhile. Why: calls that are made one after the other measure a slow link rarely. If the window were a number of samples,
/// those of the fast link before would hide it for many round trips.
struct DecayingMedian: Sendable {
    private struct Sample {
        var value: Double
        var instant: ContinuousClock.Instant
        var span: Duration
    }

    private let halfLife: Duration
    private let interval: Duration
    private let window: Duration
    /// What a sample covers at most: a window has room for three of these, so that two decide nothing.
    private let longestSpan: Duration
    private var samples: [Sample] = []
    private var covered = Duration.zero
    private var begin: ContinuousClock.Instant?

    /// - Parameter capacity: how many samples an interval apart are in the window.
    init(capacity: Int, halfLife: Duration, interval: Duration) {
        self.halfLife = halfLife
        self.interval = interval
        window = interval * capacity
        longestSpan = max(interval, window / 3)
    }

    /// Adds a sample. It replaces the one before if that began less than the interval ago.
    ///
    /// - Parameter time: how long it took to measure it.
    mutating func add(_ value: Double, lasting time: Duration = .zero, at now: ContinuousClock.Instant) {
        if let begin, begin.duration(to: now) < interval, let last = samples.last {
            samples[samples.count - 1] = Sample(value: value, instant: now, span: last.span)
            return
        }
        begin = now
        let pause = samples.last.map { $0.instant.duration(to: now) } ?? .zero
        let span = min(max(interval, min(pause, time)), longestSpan)
        samples.append(Sample(value: value, instant: now, span: span))
        covered += span
        while covered > window, samples.count > 1 { covered -= samples.removeFirst().span }
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
        covered = .zero
        begin = nil
    }
}
