internal import GatewayCore

/// Judges one way through the network: samples in, qualities that last out.
struct QualityStateMachine: Sendable {
    /// To rise, a value must be better than the threshold by this factor, so that one at the threshold does not swing.
    private static let margin = 0.8

    let policy: QualityPolicy
    private var roundTrips: DecayingMedian
    private var throughputs: DecayingMedian
    private(set) var quality = NetworkCondition.Quality.excellent
    private var candidate: (quality: NetworkCondition.Quality, since: ContinuousClock.Instant)?

    init(_ policy: QualityPolicy) {
        self.policy = policy
        roundTrips = DecayingMedian(
            capacity: policy.sampleCount, halfLife: policy.halfLife, interval: policy.sampleInterval)
        throughputs = roundTrips
    }

    /// Reads an exchange. Returns the new quality if it has changed.
    mutating func add(
        _ timings: ExchangeTimings, at now: ContinuousClock.Instant
    ) -> NetworkCondition.Quality? {
        if let roundTrip = timings.roundTrip {
            roundTrips.add(roundTrip / .seconds(1), lasting: roundTrip, at: now)
        }
        if timings.receivedBytes >= policy.throughputBodyBytes, let time = timings.receive, time > .zero {
            throughputs.add(Double(timings.receivedBytes) / (time / .seconds(1)), lasting: time, at: now)
        }
        let next = judged(at: now)
        guard next != quality else {
            candidate = nil
            return nil
        }
        // A candidate that gets worse on the way down, or better on the way up, keeps its time: one change, not two.
        let isSameWay = candidate.map { ($0.quality < quality) == (next < quality) } ?? false
        let since = isSameWay ? candidate?.since ?? now : now
        candidate = (next, since)
        guard since.duration(to: now) >= policy.holdTime else { return nil }
        candidate = nil
        quality = next
        return next
    }

    /// Forgets everything, as when the network is another one.
    mutating func reset() { self = QualityStateMachine(policy) }

    private func judged(at now: ContinuousClock.Instant) -> NetworkCondition.Quality {
        var judged = NetworkCondition.Quality.excellent
        if let median = roundTrips.value(at: now) {
            judged = level(median)
            if judged > quality {
                // As good as it is with the margin, and no worse than now.
                judged = max(quality, level(median / Self.margin))
            }
        }
        if let median = throughputs.value(at: now) {
            let factor = quality > .moderate ? 1 : 1 / Self.margin
            if median < policy.moderateBelowThroughput * factor { judged = min(judged, .moderate) }
        }
        return judged
    }

    private func level(_ seconds: Double) -> NetworkCondition.Quality {
        if seconds < policy.excellentBelow / .seconds(1) { return .excellent }
        if seconds < policy.goodBelow / .seconds(1) { return .good }
        return seconds < policy.moderateBelow / .seconds(1) ? .moderate : .poor
    }
}

extension ExchangeTimings {
    /// The round trip of the network, as far as the exchange tells.
    ///
    /// The first byte of a response that came sooner than the kernel's round trip shows that it is less by now. A connection
    /// that is used again has no time to connect.
    var roundTrip: Duration? {
        let measured = tcp?.latestRoundTrip ?? (isReused ? nil : connect)
        guard let measured, measured > .zero else { return nil }
        return min(measured, firstByte ?? measured)
    }
}

extension TCPSample {
    /// About the latest round trip. Of a longer one the kernel's mean (RFC 6298 §2) shows no more than an eighth with each
    /// request; a variation of more than half the mean, with which a connection begins, tells it at the second request.
    fileprivate var latestRoundTrip: Duration {
        let spread = roundTripTimeVariation * 2
        return spread > roundTripTime ? roundTripTime + spread : roundTripTime
    }
}
