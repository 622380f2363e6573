import GatewayCore
private import GatewayLibC

/// Determines the limit of concurrent calls from their latencies. Pure state; the caller passes the time.
///
/// It compares two averages. The long one, of each class of operations, is the latency without a queue at the server:
/// it is learned while few enough calls are in flight. The short one, of the latest calls of all classes, is relative
/// to it. Both are geometric, so that one slow response among many changes little.
///
/// The limit is *growing* while the short average is less than half of the tolerance above the long one.
/// Otherwise it is *holding*; after some time it is cut to less than the server's concurrency (Little's
/// law), and the long average is measured again there. Transitions: growing → holding and back by the short
/// average; any → cut, and growing again, by a long hold, by a short average above the tolerance, or by a
/// dropped call.
///
/// Why the long average is not learned all the time: it would follow the queue that the limit itself creates, and the
/// limit would grow without end.
struct AdaptiveLimitStateMachine: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The long average of a class, as a natural logarithm of seconds.
    private struct Baseline: Sendable {
        var value = 0.0
        var samples = 0.0

        mutating func learn(_ deviation: Double) {
            samples = min(samples + 1, longestAverage)
            value += deviation / samples
        }
    }

    /// The short average: samples of calls that were sent with the present limit, while it was in effect.
    private struct Block: Sendable {
        var samples = 0.0
        var deviations = 0.0
    }

    /// The recent maximum of calls in flight. Why: a single count is not representative, because responses may arrive
    /// in batches.
    private struct Peak: Sendable {
        private static let length = 50
        private var samples = 0
        private var latest = 0.0
        private var earlier = 0.0

        var value: Double { max(latest, earlier) }

        mutating func record(_ inFlight: Double) {
            if samples == Self.length { (samples, latest, earlier) = (0, 0, latest) }
            samples += 1
            latest = max(latest, inFlight)
        }
    }

    /// The highest accepted ratio of the short average to the long one.
    private static let tolerance = 1.75
    /// The limit grows while the ratio is below this.
    private static let growth = 1.25
    /// If the ratio is below this, the server has become faster, and the long average is updated in any
    /// case.
    private static let faster = 0.8
    /// The minimum number of samples of a block. With more the limit adapts more slowly, with fewer it
    /// follows noise.
    private static let shortestBlock = 50.0
    /// The minimum number of samples of a block before the first cut.
    private static let startingBlock = 20.0
    /// The reciprocal of the minimum weight of a sample in a long average.
    private static let longestAverage = 200.0
    /// The number of samples of a class before it counts in the short average.
    private static let warmUp = 10.0
    /// The number of blocks of a hold.
    private static let longestHold = 4
    /// The share of the server's capacity that is used after a cut by latency.
    private static let headroom = 0.85
    /// The share of the server's capacity below which there is no queue.
    private static let unqueued = 0.95
    /// The factor of the limit after a dropped call.
    private static let cut = 0.75
    /// The maximum number of classes. Operations beyond it share one.
    static let classCapacity = 64

    private let floor: Double
    private let ceiling: Double
    private var value: Double
    private var baselines: [String: Baseline] = [:]
    private var others = Baseline()
    private var block = Block()
    private var peak = Peak()
    /// The average of latencies, in seconds: about the time until a change of the limit has an effect.
    private var roundTrip = Baseline()
    /// Until then most responses belong to calls that were sent with an earlier limit. Why not the calls
    /// sent since: the first of them to be answered are the fast ones.
    private var settled: Instant?
    /// Drops of calls that were sent before this instant were caused by an earlier limit.
    private var lastCut: Instant?
    private var holds = 0
    private var isStarting = true
    private var isFaster = false
    /// The number of calls in flight up to which there is no queue.
    private var clear: Double

    /// Begins with the lower bound of a range, where latencies are the most informative.
    ///
    /// - Parameter range: the possible limits. Latencies below a limit of 4 are not informative enough: the
    ///   lower bound is at least 4, unless the upper bound is less. A bound of less than 1 counts as 1.
    init(range: ClosedRange<Int>) {
        ceiling = Double(max(1, range.upperBound))
        floor = min(Double(max(4, range.lowerBound)), ceiling)
        value = floor
        clear = floor
    }

    /// The number of calls that may be in flight.
    var limit: Int { Int(value) }

    /// The number of classes that are stored.
    var classes: Int { baselines.count }

    /// Records a response.
    ///
    /// Responses that the server makes without the work of the operation are not recorded: 304, 401, 403, 429 and such.
    ///
    /// - Parameters:
    ///   - latency: the time from sending the request to the head of the response, without the wait for a permit.
    ///   - operation: the class: the ID of the operation, or the method if there is none.
    ///   - inFlight: the calls in flight, including this one.
    ///   - now: the time of the response.
    mutating func record(latency: Duration, operation: String, inFlight: Int, at now: Instant) {
        let latency = max(latency.bounded, .microseconds(1))
        let inFlight = Double(max(1, inFlight))
        let seconds = latency / .seconds(1)
        roundTrip.learn(seconds - roundTrip.value)
        let isSettled = settled.map { now >= $0 } ?? true
        if isSettled { peak.record(inFlight) }
        guard let deviation = compare(log(seconds), operation, isSettled: isSettled),
            // A limit that is not in effect is not changed.
            isSettled, inFlight * 2 >= value
        else { return }
        block.samples += 1
        block.deviations += deviation
        if block.samples >= max(isStarting ? Self.startingBlock : Self.shortestBlock, value) {
            decide(at: now)
        }
    }

    /// Records a call that timed out, or that the server rejected because of its load. It is not part of the
    /// averages.
    ///
    /// Only calls that were sent after the last cut reduce the limit, so that there is one cut per round
    /// trip.
    ///
    /// - Parameters:
    ///   - duration: the time since the request was sent.
    ///   - inFlight: the calls in flight, including this one.
    ///   - now: the time of the failure.
    mutating func dropped(after duration: Duration, inFlight: Int, at now: Instant) {
        let sent = now.adding(.zero - max(duration.bounded, .zero))
        if let lastCut, sent < lastCut { return }
        // A limit that is far above the calls in flight is cut to a value that has an effect.
        let effective = min(value, 2 * Double(max(1, inFlight)))
        change(to: effective * Self.cut, at: now)
        lastCut = now
        isStarting = false
    }

    // MARK: Parts

    /// Returns the deviation of a latency from the long-term average of its class, and updates the average if there is
    /// no queue; `nil` while the class is new.
    private mutating func compare(
        _ latency: Double, _ operation: String, isSettled: Bool
    ) -> Double? {
        let isLearned = isSettled && (isFaster || peak.value <= clear)
        let queue = block.samples >= Self.warmUp ? max(0, block.deviations / block.samples) : 0
        func update(_ baseline: inout Baseline) -> Double? {
            guard baseline.samples >= Self.warmUp else {
                // The first samples of a class arrive while there is a queue, whose length is estimated from
                // the other classes.
                baseline.learn(latency - queue - baseline.value)
                return nil
            }
            let deviation = latency - baseline.value
            if isLearned { baseline.learn(deviation) }
            return deviation
        }
        guard let index = baselines.index(forKey: operation) else {
            guard baselines.count < Self.classCapacity else { return update(&others) }
            var baseline = Baseline()
            defer { baselines[operation] = baseline }
            return update(&baseline)
        }
        return update(&baselines.values[index])
    }

    /// Changes the limit after a block.
    private mutating func decide(at now: Instant) {
        let factor = exp(block.deviations / block.samples)
        isFaster = factor < Self.faster
        let next: Double
        if factor < Self.growth {
            let grown = isStarting ? value * 1.5 : value + 1
            next = max(value, min(grown, 2 * peak.value))
        } else {
            holds += 1
            guard isStarting || factor >= Self.tolerance || holds >= Self.longestHold else {
                block = Block()
                return
            }
            isStarting = false
            // The number of calls that the server processes concurrently, by Little's law.
            let capacity = min(peak.value, value) / factor
            clear = max(floor, capacity * Self.unqueued)
            next = max(value * 0.7, min(value - 1, capacity * Self.headroom))
        }
        change(to: next, at: now)
    }

    private mutating func change(to next: Double, at now: Instant) {
        value = min(max(next.rounded(.down), floor), ceiling)
        (block, peak) = (Block(), Peak())
        settled = now.adding(.seconds(roundTrip.value * 1.5))
        holds = 0
    }
}
