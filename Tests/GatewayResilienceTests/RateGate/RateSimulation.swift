import GatewayCore
import GatewayTesting

@testable import GatewayResilience

/// Callers before a server that limits their rate. Each makes one call after the other, and makes one that was rejected
/// again. Time is counted in microseconds; nothing waits for it.
struct RateSimulation {
    /// How the server limits the rate.
    enum Limit {
        /// A bucket that leaks, as nginx's `limit_req` with `nodelay`. It names a time in seconds, or none.
        case bucket(perSecond: Double, burst: Double, retryAfter: Int?)
        /// Fixed windows of so many seconds, with the fields of Flask-Limiter.
        case window(calls: Int, seconds: Int)
    }

    /// A request that was sent, and its response.
    struct Sent {
        let begin: Int
        let end: Int
        let isRejected: Bool
    }

    private enum Event {
        case arrival(caller: Int)
        case response(caller: Int, status: Int, HTTPFields)
        case call(caller: Int)
    }

    /// The requests in the order of their responses.
    private(set) var sent: [Sent] = []
    /// The calls that were refused without being sent.
    private(set) var refused = 0
    private(set) var now = 0

    private let limit: Limit
    private let connections: Int
    private let random: SeededRandomSource
    private let start = ContinuousClock.now
    private let context = RequestContext()
    private let key: RateGateKey
    private var state: RateGateState
    /// What happens later, the earliest last.
    private var events: [(time: Int, event: Event)] = []
    /// The callers that wait in the gate, by the number of their waiter.
    private var waiting: [UInt64: Int] = [:]
    /// The callers that wait for a connection.
    private var queue: [Int] = []
    private var inUse = 0
    /// When each caller's request was sent, and the number of closings then.
    private var marks: [(begin: Int, closings: UInt64)]
    private var bucket = (level: 0.0, time: 0)
    private var window = (number: -1, calls: 0)

    init(_ limit: Limit, callers: Int, connections: Int = .max, seed: UInt64) throws {
        self.limit = limit
        self.connections = connections
        random = SeededRandomSource(seed: seed)
        key = RateGateKey(try HTTPRequest(.get, "http://h/x"), context, .standard)
        state = RateGateState(.standard, capacity: RateGate.capacity)
        marks = Array(repeating: (0, 0), count: callers)
        for caller in 0..<callers { schedule(.call(caller: caller), at: caller) }
    }

    private var instant: ContinuousClock.Instant { start + .microseconds(now) }
    private var moment: RateGateState.Moment { .init(now: instant, jitter: random.unit()) }
    private var unixTime: Duration { .seconds(1_767_225_600) + .microseconds(now) }

    /// Lets so many seconds pass.
    mutating func run(seconds: Int) {
        let end = now + seconds * 1_000_000
        while true {
            let alarm = state.table.alarm.map { ReferenceGate.microseconds(start.duration(to: $0)) } ?? .max
            let next = min(events.last?.time ?? .max, max(alarm, now))
            guard next < end else {
                now = end
                return
            }
            now = next
            var effects = RateGateState.Effects()
            if alarm <= next {
                state.advance(at: moment, &effects)
                tell(effects)
            } else if let (_, event) = events.popLast() {
                handle(event)
            }
        }
    }

    private mutating func schedule(_ event: Event, at time: Int) {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].time > time { low = middle + 1 } else { high = middle }
        }
        events.insert((time, event), at: low)
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .call(let caller): enter(caller, after: nil)
        case .arrival(let caller):
            let (status, fields) = answer()
            schedule(.response(caller: caller, status: status, fields), at: now + random.int(in: 500..<3_000))
        case .response(let caller, let status, let fields):
            inUse -= 1
            sent.append(Sent(begin: marks[caller].begin, end: now, isRejected: status == 429))
            var effects = RateGateState.Effects()
            state.note(
                RateLimitReport(RateLimitFields(fields), unixTime: unixTime), status: status, key, context,
                sent: marks[caller].closings, at: moment, &effects)
            tell(effects)
            useConnections()
            enter(caller, after: nil)
        }
    }

    // MARK: The client

    private mutating func enter(_ caller: Int, after passed: RateWaiter?) {
        var effects = RateGateState.Effects()
        let entrance = state.enter(
            key, context, after: passed?.serial ?? 0, since: passed?.start ?? instant,
            limit: instant + .seconds(60), at: moment, &effects)
        switch entrance {
        case .passed:
            queue.append(caller)
            useConnections()
        case .waits(let waiter, _): waiting[waiter.id] = caller
        case .refused:
            refused += 1
            schedule(.call(caller: caller), at: now + 1_000_000)
        }
        tell(effects)
    }

    private mutating func tell(_ effects: RateGateState.Effects) {
        for (waiter, outcome) in effects.told {
            guard let caller = waiting.removeValue(forKey: waiter.id) else { continue }
            if case .released = outcome {
                enter(caller, after: waiter)
            } else {
                refused += 1
                schedule(.call(caller: caller), at: now + 1_000_000)
            }
        }
    }

    /// Sends what waits for a connection; while the gate is closed, that is given back.
    private mutating func useConnections() {
        while inUse < connections, !queue.isEmpty {
            let caller = queue.removeFirst()
            guard state.outlook(key, context, at: instant).map({ $0.opening <= instant }) ?? true else {
                schedule(.call(caller: caller), at: now)
                continue
            }
            inUse += 1
            marks[caller] = (now, state.closings)
            schedule(.arrival(caller: caller), at: now + random.int(in: 500..<3_000))
        }
    }

    // MARK: The server

    private mutating func answer() -> (status: Int, HTTPFields) {
        switch limit {
        case .bucket(let perSecond, let burst, let retryAfter):
            bucket.level = max(0, bucket.level - perSecond * Double(now - bucket.time) / 1_000_000)
            bucket.time = now
            guard bucket.level <= burst else {
                return (429, retryAfter.map { ["Retry-After": "\($0)"] } ?? [:])
            }
            bucket.level += 1
            return (200, [:])
        case .window(let calls, let seconds):
            let number = now / (seconds * 1_000_000)
            if number != window.number { window = (number, 0) }
            window.calls += 1
            let second = unixTime.components.seconds
            let reset = second - second % Int64(seconds) + Int64(seconds) + 1
            var fields: HTTPFields = [
                "X-RateLimit-Limit": "\(calls)", "X-RateLimit-Reset": "\(reset)",
                "X-RateLimit-Remaining": "\(max(0, calls - window.calls))",
            ]
            guard window.calls > calls else { return (200, fields) }
            fields["Retry-After"] = "\(reset - second)"
            return (429, fields)
        }
    }
}

extension RateSimulation {
    /// When the first call was rejected. What is sent until then cannot know of the limit.
    var firstRejection: Int { sent.first { $0.isRejected }?.end ?? .max }

    /// What was sent after the first rejection, in order.
    var later: [Sent] {
        let first = firstRejection
        return sent.filter { $0.begin > first }.sorted { $0.begin < $1.begin }
    }

    /// How much of the time between the first and the last release of windows of so many seconds is used, at least. Windows
    /// with a rejection are left out: the gate closes within them.
    func leastSpread(ofWindow seconds: Int) -> Double? {
        let (later, window) = (later, seconds * 1_000_000)
        guard var begin = later.first?.begin, let last = later.last?.begin else { return nil }
        var least: Double?
        while begin + window <= last {
            let times = later.map(\.begin).filter { $0 >= begin && $0 < begin + window }
            let isDisturbed = later.contains {
                $0.isRejected && $0.end >= begin - 2_000_000 && $0.begin < begin + window
            }
            if let first = times.first, let last = times.last, !isDisturbed {
                let spread = Double(last - first) / Double(window)
                least = min(least ?? spread, spread)
            }
            begin += window
        }
        return least
    }
}
