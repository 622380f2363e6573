import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayNetworkMonitor

/// The quality of links whose round trips vary, as simulated calls find it.
@Suite struct QualityTrafficTests {
    enum Traffic: CaseIterable { case oneAfterTheOther, tenASecond }

    struct Change: Equatable, CustomStringConvertible {
        let seconds: Double
        let quality: NetworkCondition.Quality

        var description: String { "\(quality) at \(seconds)" }
    }

    /// The kernel's mean and variation (RFC 6298 §2), in seconds.
    private struct RoundTripMean {
        var mean: Double?
        var variation = 0.0

        mutating func add(_ seconds: Double) {
            guard let before = mean else {
                (mean, variation) = (seconds, seconds / 2)
                return
            }
            mean = before + (seconds - before) / 8
            variation += (abs(seconds - before) - variation) / 4
        }
    }

    /// Makes calls over a link.
    ///
    /// - Parameters:
    ///   - pause: the seconds between two calls that are made one after the other.
    ///   - server: how many seconds the server takes.
    ///   - link: the round trip at a time, both in seconds.
    private func play(
        _ traffic: Traffic, seconds: Double, pause: Double = 0.02, server: Double = 0,
        link: (Double) -> Double
    ) -> [Change] {
        var exchanges: [(end: Double, roundTrip: Double)] = []
        var start = 0.0
        while start < seconds {
            let roundTrip = link(start)
            exchanges.append((start + roundTrip + server, roundTrip))
            start += traffic == .tenASecond ? 0.1 : roundTrip + server + pause
        }
        exchanges.sort { $0.end < $1.end }
        let begin = ContinuousClock.now
        var machine = QualityStateMachine(.standard)
        var kernel = RoundTripMean()
        var changes: [Change] = []
        for exchange in exchanges {
            kernel.add(exchange.roundTrip)
            var timings = ExchangeTimings()
            timings.isReused = true
            timings.firstByte = .seconds(exchange.roundTrip + server)
            timings.tcp = TCPSample(
                roundTripTime: .seconds(kernel.mean ?? 0), roundTripTimeVariation: .seconds(kernel.variation),
                retransmitCount: 0, congestionWindowSegments: 10)
            if let quality = machine.add(timings, at: begin.advanced(by: .seconds(exchange.end))) {
                changes.append(Change(seconds: exchange.end, quality: quality))
            }
        }
        return changes
    }

    /// `network.quality-of-a-link`: fast, slow for 40 s, then fast again.
    @Test(arguments: Traffic.allCases, [0.15, 0.4, 0.8, 1.2, 1.6])
    func aSlowLinkIsFoundInTenSecondsHoweverCallsAreMade(traffic: Traffic, roundTrip: Double) {
        for seed in 1...2 {
            let random = SeededRandomSource(seed: TestSeed.value(UInt64(seed)))
            let changes = play(traffic, seconds: 100) { now in
                ((20..<60).contains(now) ? roundTrip : 0.005) * random.seconds(in: 0.8..<1.2)
            }
            let worse = changes.prefix { $0.quality < .excellent }
            let better = changes.dropFirst(worse.count)
            #expect((1...2).contains(worse.count) && (1...2).contains(better.count), "\(changes)")
            #expect((worse.first?.seconds ?? .infinity) <= 20 + 10, "\(changes)")
            #expect(
                better.last?.quality == .excellent && (better.last?.seconds ?? .infinity) <= 60 + 30,
                "\(changes)")
        }
    }

    /// `network.hysteresis`: 40 ms as a rule, and more than 1 s one time in twenty.
    @Test(arguments: Traffic.allCases, [0.02, 1])
    func aFastLinkThatIsNoisyIsNoSlowOne(traffic: Traffic, pause: Double) {
        for seed in 1...2 {
            let random = SeededRandomSource(seed: TestSeed.value(UInt64(seed)))
            let changes = play(traffic, seconds: Double(SoakScale.rounds(240)), pause: pause) { _ in
                random.isOneOf(20)
                    ? random.seconds(in: 1..<1.5) : random.seconds(in: 0.02..<0.08)
            }
            #expect(changes.isEmpty, "\(changes)")
        }
    }

    /// `network.hysteresis`: from 300 ms to 900 ms, and 50 ms one time in twenty.
    @Test(arguments: Traffic.allCases, [0.02, 1])
    func aSlowLinkThatIsNoisyIsNoFastOne(traffic: Traffic, pause: Double) {
        for seed in 1...2 {
            let random = SeededRandomSource(seed: TestSeed.value(UInt64(seed)))
            let changes = play(traffic, seconds: Double(SoakScale.rounds(240)), pause: pause) { _ in
                random.isOneOf(20) ? 0.05 : random.seconds(in: 0.4..<0.8)
            }
            #expect(changes.map(\.quality) == [.moderate], "\(changes)")
        }
    }

    /// `network.quality-is-the-network`
    @Test(arguments: Traffic.allCases)
    func aSlowServerChangesNothingHoweverCallsAreMade(traffic: Traffic) {
        #expect(play(traffic, seconds: 600, server: 2) { _ in 0.001 } == [])
    }

    /// `network.hysteresis`: even if they took longer than all samples cover together.
    @Test func threeSlowRoundTripsDecideNothing() {
        var slow = 0
        let changes = play(.oneAfterTheOther, seconds: 120) { now in
            guard now > 60, slow < 3 else { return 0.005 }
            slow += 1
            return 6
        }
        #expect(slow == 3 && changes == [])
    }
}

extension SeededRandomSource {
    /// A uniform number from the range.
    fileprivate func seconds(in range: Range<Double>) -> Double {
        let fraction = Double(int(in: 0..<1_000_000)) / 1_000_000
        return range.lowerBound + fraction * (range.upperBound - range.lowerBound)
    }

    /// One time in so many.
    fileprivate func isOneOf(_ count: Int) -> Bool { int(in: 0..<count) == 0 }
}
