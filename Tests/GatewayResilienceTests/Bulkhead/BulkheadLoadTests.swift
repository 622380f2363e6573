import Foundation
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// A simulated server under load: arrivals and service times are events in the order of time.
@Suite struct BulkheadLoadTests {
    /// Calls of one priority that come at random times.
    private struct Stream {
        let priority: CallPriority
        let perSecond: Double
    }

    private struct Result {
        /// The waits of calls that were served or turned away, in milliseconds, by priority.
        var served: [CallPriority: [Double]] = [:]
        var turnedAway: [CallPriority: [Double]] = [:]

        func quantile(_ share: Double, _ priority: CallPriority) -> Double {
            let waits = (served[priority] ?? []).sorted()
            return waits.isEmpty ? .infinity : waits[Int(Double(waits.count - 1) * share)]
        }
    }

    /// Runs a load of so many seconds.
    private func run(
        _ policy: BulkheadPolicy, _ streams: [Stream], seconds: Double, service: ClosedRange<Double>,
        deadline: Double? = nil, seed: UInt64
    ) throws -> Result {
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        let origin = try Origin("http://h")
        let start = ContinuousClock.now
        var machine = BulkheadStateMachine<Int>(policy: policy)
        // The earliest is the last in both.
        var arrivals: [(time: Double, stream: Int)] = []
        var ends: [(time: Double, place: Int)] = []
        var calls: [(priority: CallPriority, came: Double)] = []
        var result = Result()
        for (index, stream) in streams.enumerated() {
            var time = 0.0
            while time < seconds * 1_000 {
                time += -1_000 / stream.perSecond * log(1 - random.unit())
                arrivals.append((time, index))
            }
        }
        arrivals.sort { $0.time > $1.time }
        func begin(_ place: Int, at time: Double) {
            let length = service.lowerBound + (service.upperBound - service.lowerBound) * random.unit()
            var index = 0
            while index < ends.count, ends[index].time > time + length { index += 1 }
            ends.insert((time + length, place), at: index)
        }
        func instant(_ time: Double) -> ContinuousClock.Instant { start + .microseconds(Int64(time * 1_000)) }
        while true {
            let isEnd = (ends.last?.time ?? .infinity) < (arrivals.last?.time ?? .infinity)
            guard let time = isEnd ? ends.last?.time : arrivals.last?.time else { return result }
            let now = instant(time)
            if let next = machine.nextDeadline, next <= now { machine.expire(at: now) }
            if isEnd {
                machine.leave(ends.removeLast().place, after: Int64(service.upperBound * 1_000), at: now)
            } else {
                let priority = streams[arrivals.removeLast().stream].priority
                calls.append((priority, time))
                let entry = machine.enter(
                    calls.count - 1, to: origin, priority: priority,
                    until: deadline.map { instant(time + $0) }, at: now)
                switch entry {
                case .admitted(let place):
                    result.served[priority, default: []].append(0)
                    begin(place, at: time)
                case .rejected: result.turnedAway[priority, default: []].append(0)
                case .waits: break
                }
            }
            for action in machine.takeActions() {
                switch action {
                case .admit(let call, let place):
                    result.served[calls[call].priority, default: []].append(time - calls[call].came)
                    begin(place, at: time)
                case .reject(let call, _):
                    result.turnedAway[calls[call].priority, default: []].append(time - calls[call].came)
                }
            }
        }
    }

    private func policy(
        _ waiting: Int, ageing: Duration, newestFirst: Bool = false
    ) -> BulkheadPolicy {
        BulkheadPolicy(
            perOrigin: .fixed(10), inAll: 10, waitingPerOrigin: waiting, waitingInAll: waiting,
            ageing: ageing,
            newestFirst: newestFirst)
    }

    /// 10 permits of 80 to 120 ms serve 100 calls in a second; 400 come in the background.
    @Test(arguments: [false, true])
    func aCriticalCallWaitsTwoServiceTimesAtMost(newestFirst: Bool) throws {
        let policy = policy(200, ageing: .seconds(5), newestFirst: newestFirst)
        let result = try run(
            policy, [Stream(priority: .low, perSecond: 400), Stream(priority: .critical, perSecond: 5)],
            seconds: 120, service: 80...120, seed: 1)
        #expect(result.served[.critical, default: []].count > 500 && result.turnedAway[.critical] == nil)
        #expect(result.quantile(0.99, .critical) <= 200)
        // The background gets what is left, and no call waits longer than until it would be overdue.
        #expect(result.served[.low, default: []].count > 10_000)
        let longest = max(result.served[.low]?.max() ?? 0, result.turnedAway[.low]?.max() ?? 0)
        #expect(longest <= 20_000 + 120, "\(longest)")
    }

    /// Without ageing the background would get nothing: the calls before it need the whole capacity.
    @Test(arguments: [CallPriority.normal, .high, .critical], [false, true])
    func theBackgroundDoesNotStarve(priority: CallPriority, newestFirst: Bool) throws {
        let policy = policy(1_000, ageing: .seconds(2), newestFirst: newestFirst)
        let result = try run(
            policy, [Stream(priority: .low, perSecond: 4), Stream(priority: priority, perSecond: 100)],
            seconds: 60, service: 100...100, seed: 2)
        let waits = result.served[.low, default: []]
        #expect(waits.count > 150)
        // Until it is overdue, and the time of the calls that were overdue before: 4 in a second are too many.
        #expect(waits.max() ?? .infinity <= 8_000 + 5_500, "\(waits.max() ?? 0)")
        #expect(result.turnedAway[.low] == nil)
    }

    /// With deadlines, what cannot be served in time is turned away on arrival, and nearly all others are served in time.
    @Test func theHopelessAreTurnedAwayEarly() throws {
        let policy = policy(1_000, ageing: .seconds(60))
        let result = try run(
            policy, [Stream(priority: .normal, perSecond: 400)], seconds: 60, service: 80...120,
            deadline: 1_000, seed: 3)
        let turnedAway = result.turnedAway[.normal, default: []]
        #expect(Double(turnedAway.count { $0 == 0 }) > 0.95 * Double(turnedAway.count))
        #expect(result.served[.normal, default: []].count > 5_500, "the capacity is used")
        #expect(result.quantile(1, .normal) <= 1_000)
    }
}
