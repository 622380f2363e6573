import GatewayCore
import Testing

@testable import GatewayNetworkMonitor

@Suite struct QualityTests {
    private static let start = ContinuousClock.now

    /// An exchange on a connection with this round trip, whose server takes a time of its own.
    private static func exchange(
        roundTrip: Duration, server: Duration = .zero, connect: Duration? = nil
    ) -> ExchangeTimings {
        var timings = ExchangeTimings()
        timings.tcp = TCPSample(
            roundTripTime: roundTrip, roundTripTimeVariation: .zero, retransmitCount: 0,
            congestionWindowSegments: 10)
        timings.firstByte = roundTrip + server
        timings.isReused = connect == nil
        timings.connect = connect
        return timings
    }

    private static func transfer(bytes: Int64, in time: Duration) -> ExchangeTimings {
        var timings = exchange(roundTrip: .milliseconds(1))
        timings.receivedBytes = bytes
        timings.receive = time
        return timings
    }

    /// Plays ten exchanges a second and returns the changes with their tenths of seconds.
    private static func play(
        _ phases: [(seconds: Int, exchange: ExchangeTimings)], policy: QualityPolicy = .standard
    ) -> [String] {
        var machine = QualityStateMachine(policy)
        var changes: [String] = []
        var tenth = 0
        for (seconds, exchange) in phases {
            for _ in 0..<(seconds * 10) {
                let now = start.advanced(by: .milliseconds(100 * tenth))
                if let quality = machine.add(exchange, at: now) { changes.append("\(tenth) \(quality)") }
                tenth += 1
            }
        }
        return changes
    }

    /// `network.quality-is-the-network`
    @Test func aSlowServerAtAShortRoundTripChangesNothing() {
        let slow = Self.exchange(roundTrip: .milliseconds(1), server: .seconds(2))
        #expect(Self.play([(60, slow)]) == [])
    }

    /// `network.hysteresis`
    @Test func aSlowLinkIsOneChangeWithinTenSecondsAndBackWithinThirty() {
        let fast = Self.exchange(roundTrip: .milliseconds(5))
        let slow = Self.exchange(roundTrip: .milliseconds(1_200))
        let changes = Self.play([(30, fast), (60, slow), (60, fast)])
        #expect(changes.count == 2)
        #expect(changes.first?.hasSuffix("poor") == true && changes.last?.hasSuffix("excellent") == true)
        let tenths = changes.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(tenths[0] <= 300 + 100 && tenths[1] <= 900 + 300)
    }

    /// `network.hysteresis`: the kernel's round trip rises and falls in small steps.
    @Test func aRoundTripThatRisesSlowlyIsOneChange() {
        var machine = QualityStateMachine(.standard)
        var changes: [NetworkCondition.Quality] = []
        var smoothed = 0.005
        for tenth in 0..<900 {
            let actual = (300..<600).contains(tenth) ? 1.5 : 0.005
            smoothed += (actual - smoothed) / 8
            var timings = Self.exchange(roundTrip: .seconds(smoothed))
            timings.firstByte = .seconds(actual)
            let now = Self.start.advanced(by: .milliseconds(100 * tenth))
            if let quality = machine.add(timings, at: now) { changes.append(quality) }
        }
        #expect(changes == [.poor, .excellent])
    }

    /// `network.hysteresis`
    @Test func aRoundTripAtAThresholdDoesNotSwing() {
        var phases: [(Int, ExchangeTimings)] = []
        for _ in 0..<10 {
            phases.append((10, Self.exchange(roundTrip: .milliseconds(290))))
            phases.append((10, Self.exchange(roundTrip: .milliseconds(310))))
        }
        // Good at first, then moderate for good: 290 ms is not better than 300 ms by the margin.
        let changes = Self.play(phases.map { (seconds: $0.0, exchange: $0.1) })
        #expect(changes.map { $0.split(separator: " ")[1] } == ["good", "moderate"])
    }

    /// `network.hysteresis`
    @Test func aFewSlowExchangesChangeNothing() {
        let fast = Self.exchange(roundTrip: .milliseconds(5))
        let slow = Self.exchange(roundTrip: .milliseconds(1_200))
        #expect(Self.play([(30, fast), (2, slow), (30, fast), (2, slow), (30, fast)]) == [])
    }

    /// `network.reused-connections-say-nothing`
    @Test func connectTimesOfReusedConnectionsDoNotCount() {
        var timings = ExchangeTimings()
        timings.connect = .seconds(2)
        #expect(timings.roundTrip == .seconds(2))
        timings.isReused = true
        #expect(timings.roundTrip == nil)
        timings.tcp = TCPSample(
            roundTripTime: .milliseconds(7), roundTripTimeVariation: .zero, retransmitCount: 0,
            congestionWindowSegments: 10)
        #expect(timings.roundTrip == .milliseconds(7))
    }

    /// `network.quality-of-a-link`: the kernel's mean and variation as RFC 6298 §2 computes them.
    @Test func aJumpOfTheRoundTripIsKnownBeforeTheMeanFollows() throws {
        let (short, long) = (1.0, 600.0)
        var (mean, variation) = (short, short / 2)
        func seen(_ milliseconds: Double) throws -> Double {
            (mean, variation) = (
                mean + (milliseconds - mean) / 8, variation + (abs(milliseconds - mean) - variation) / 4
            )
            var timings = ExchangeTimings()
            timings.isReused = true
            timings.tcp = TCPSample(
                roundTripTime: .milliseconds(mean), roundTripTimeVariation: .milliseconds(variation),
                retransmitCount: 0, congestionWindowSegments: 10)
            // The server may take as long as it wants.
            timings.firstByte = .seconds(9)
            return try #require(timings.roundTrip) / .milliseconds(1)
        }
        // A connection that is new varies by half its only round trip; that is not its round trip.
        for _ in 0..<20 { #expect(try seen(short) <= 1.1 * short) }
        let estimates = try (0..<20).map { _ in try seen(long) }
        #expect(estimates[0] > 0.5 * long && estimates.dropFirst().allSatisfy { $0 > 0.75 * long })
        // One that is delayed now and then, as an acknowledgement is by 40 ms, is not taken for a slow one.
        let delayed = try (0..<100).map { try seen($0 % 2 == 0 ? 40 : 1) }
        #expect(delayed.dropFirst(40).allSatisfy { $0 < 100 })
    }

    @Test func whatAFirstByteDisprovesIsNoRoundTrip() {
        var timings = Self.exchange(roundTrip: .seconds(1))
        timings.firstByte = .milliseconds(3)
        #expect(timings.roundTrip == .milliseconds(3))
    }

    @Test func lowThroughputIsModerateAtMost() {
        let slow = Self.transfer(bytes: 1 << 20, in: .seconds(60))
        let changes = Self.play([(30, slow)])
        #expect(changes.map { $0.split(separator: " ")[1] } == ["moderate"])
        #expect(Self.play([(30, Self.transfer(bytes: 1 << 20, in: .seconds(1)))]) == [])
        // Small bodies say nothing.
        #expect(Self.play([(30, Self.transfer(bytes: 1 << 10, in: .seconds(60)))]) == [])
        var policy = QualityPolicy.standard
        policy.moderateBelowThroughput = 0
        #expect(Self.play([(30, slow)], policy: policy) == [])
    }

    @Test(arguments: [
        (Duration.milliseconds(99), "excellent"), (.milliseconds(100), "good"), (.milliseconds(299), "good"),
        (.milliseconds(300), "moderate"), (.milliseconds(999), "moderate"), (.seconds(1), "poor"),
    ])
    func thresholds(roundTrip: Duration, quality: String) {
        var machine = QualityStateMachine(.standard)
        for second in 0..<10 {
            _ = machine.add(
                Self.exchange(roundTrip: roundTrip), at: Self.start.advanced(by: .seconds(second)))
        }
        #expect("\(machine.quality)" == quality)
    }

    @Test func originsAreJudgedApart() throws {
        var estimator = QualityEstimator(.standard)
        let (near, far) = (try Origin("https://near.example.com"), try Origin("https://far.example.com"))
        let local = try Origin("http://127.0.0.1:8080")
        var changes: [QualityEstimator.Change] = []
        for tenth in 0..<300 {
            let now = Self.start.advanced(by: .milliseconds(100 * tenth))
            changes += estimator.add(Self.exchange(roundTrip: .milliseconds(5)), of: near, at: now)
            if tenth % 3 == 0 {
                changes += estimator.add(Self.exchange(roundTrip: .seconds(2)), of: far, at: now)
            }
            changes += estimator.add(Self.exchange(roundTrip: .seconds(9)), of: local, at: now)
        }
        #expect(changes.filter { $0.origin != nil } == [.init(origin: far, from: .excellent, to: .poor)])
        #expect(estimator.quality(for: near) == .excellent && estimator.quality(for: far) == .poor)
        #expect(estimator.quality(for: try Origin("https://unknown.example.com")) == estimator.quality)
        estimator.reset()
        #expect(estimator.quality(for: far) == .excellent)
    }

    @Test func oldSamplesCountLess() {
        var median = DecayingMedian(capacity: 20, halfLife: .seconds(60), interval: .milliseconds(1))
        for second in 0..<6 { median.add(10, at: Self.start.advanced(by: .seconds(second))) }
        let later = Self.start.advanced(by: .seconds(240))
        for second in 0..<2 { median.add(1, at: later.advanced(by: .seconds(second))) }
        // Six of a weight of about 1/16 against two of 1.
        #expect(median.value(at: later.advanced(by: .seconds(2))) == 1)
        #expect(median.value(at: later.advanced(by: .seconds(599))) == 1)
        #expect(median.value(at: later.advanced(by: .seconds(602))) == nil)
    }

    @Test func thresholdsThatDoNotAscendAreRefused() {
        func message(_ change: (inout QualityPolicy) -> Void) -> String? {
            var policy = QualityPolicy.standard
            change(&policy)
            do throws(NetworkError) { try policy.validate() } catch { return error.message }
            return nil
        }
        #expect(message { _ in } == nil)
        #expect(message { $0.excellentBelow = .zero }?.contains("'excellentBelow'") == true)
        #expect(message { $0.goodBelow = $0.excellentBelow }?.contains("'goodBelow'") == true)
        #expect(message { $0.moderateBelow = .milliseconds(200) }?.contains("'moderateBelow'") == true)
        #expect(message { $0.moderateBelowThroughput = .nan }?.contains("'moderateBelowThroughput'") == true)
        #expect(message { $0.throughputBodyBytes = 0 }?.contains("'throughputBodyBytes'") == true)
        #expect(message { $0.halfLife = .zero }?.contains("'halfLife'") == true)
        #expect(message { $0.sampleCount = 0 }?.contains("'sampleCount'") == true)
        #expect(message { $0.sampleInterval = .zero }?.contains("'sampleInterval'") == true)
        #expect(message { $0.holdTime = .seconds(-1) }?.contains("'holdTime'") == true)
    }

    @Test func recommendations() {
        let all = NetworkCondition.Quality.allCases.reversed().map(\.recommendation)
        #expect(all.map(\.timeout) == [10, 15, 30, 60, 5].map { .seconds($0) })
        #expect(all.map(\.retries) == [2, 3, 3, 5, 0])
        #expect(all.map(\.allowsPrefetch) == [true, true, false, false, false])
    }
}
