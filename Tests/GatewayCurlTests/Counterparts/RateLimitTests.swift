import Foundation
import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// Many callers of servers that limit the rate: nginx with and without `Retry-After`, and Flask-Limiter.
@Suite(
    .needsNginx, .serialized, .timeLimit(.minutes(2)),
    .realTime("statistics of 8 s; RateGateTests has the simulation, RateGateServerTests a closed gate"))
struct RateLimitTests {
    /// Notes when each request was sent, and when which response was there.
    private final class Recorder: Transport {
        struct Sent {
            let begin: Double
            let end: Double
            let status: Int
        }

        let below: CurlTransport
        private let start = ContinuousClock.now
        private let recorded = Locked<[Sent]>([])

        init(_ below: CurlTransport) { self.below = below }

        var sent: [Sent] { recorded.withLock { $0 }.sorted { $0.begin < $1.begin } }

        private var now: Double { start.duration(to: .now) / .seconds(1) }

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            let begin = now
            let response = try await below.send(request, context: context)
            let end = now
            recorded.withLock { $0.append(Sent(begin: begin, end: end, status: response.status)) }
            return response
        }
    }

    /// What many callers did in a time.
    private struct Observation {
        let sent: [Recorder.Sent]
        /// When the first call was rejected. What is sent until then cannot know of the limit.
        let firstRejection: Double
        /// What was sent after that.
        var later: [Recorder.Sent] { sent.filter { $0.begin > firstRejection } }
        var rejected: [Recorder.Sent] { later.filter { $0.status == 429 } }
        var share: Double { Double(rejected.count) / Double(max(1, later.count)) }

        /// How much of the time between the first and the last release of windows of a length is used, at least. Windows with a
        /// rejection are left out: the gate closes within them.
        func leastSpread(of window: Double) -> Double? {
            guard let first = later.first?.begin, let last = later.last?.begin else { return nil }
            var spreads: [Double] = []
            var begin = first
            while begin + window <= last {
                let times = later.map(\.begin).filter { $0 >= begin && $0 < begin + window }
                let isDisturbed = rejected.contains { $0.end >= begin - 2 && $0.begin < begin + window }
                if let first = times.first, let last = times.last, !isDisturbed {
                    spreads.append((last - first) / window)
                }
                begin += window
            }
            return spreads.min()
        }
    }

    /// Callers that make one call after the other.
    private func observe(
        _ url: String, callers: Int = 40, for time: Duration
    ) async throws -> Observation {
        var configuration = AsyncRequestEngine.Configuration()
        let gate = try RateGate()
        configuration.protection.rateGate = gate
        configuration.retry.policy = ExponentialRetryPolicy(maximumAttempts: 50)
        configuration.retry.budget = nil
        configuration.coalescing = nil
        let recorder = Recorder(CurlTransport())
        let engine = AsyncRequestEngine(transport: recorder, configuration: configuration)
        let request = try HTTPRequest(.get, url)
        let end = ContinuousClock.now + time
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    while ContinuousClock.now < end, !Task.isCancelled {
                        _ = try? await engine.send(request)
                    }
                }
            }
            try? await SystemClock().sleep(until: end)
            group.cancelAll()
        }
        let sent = recorder.sent
        let first = try #require(sent.filter { $0.status == 429 }.map(\.end).min())
        let observation = Observation(sent: sent, firstRejection: first)
        #expect(sent.allSatisfy { $0.status == 200 || $0.status == 429 })
        return observation
    }

    @Test func flaskLimiter() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["GATEWAY_TEST_LIMITER"])
        let seen = try await observe(url + "/fixed/a", for: .seconds(9))
        #expect(seen.share <= 0.03, "\(seen.rejected.count) of \(seen.later.count)")
        #expect(try #require(seen.leastSpread(of: 2)) >= 0.8)
        // 20 a second are allowed; at least half of them are used.
        #expect(seen.later.count >= 60, "\(seen.later.count)")
    }

    @Test func nginxWithRetryAfter() async throws {
        let url = try #require(Counterparts.nginx)
        let seen = try await observe(url + "/limited/after?zone=after", for: .seconds(8))
        #expect(seen.share <= 0.03, "\(seen.rejected.count) of \(seen.later.count)")
        #expect(try #require(seen.leastSpread(of: 1)) >= 0.8)
        #expect(seen.later.count >= 70, "\(seen.later.count)")
        let early = try #require(seen.later.first?.begin)
        #expect(early >= seen.firstRejection + 0.9)
    }

    /// More calls than connections: those that wait for a connection when the gate closes are not sent.
    @Test func moreCallsThanConnections() async throws {
        let url = try #require(Counterparts.nginx)
        let seen = try await observe(url + "/limited/after?zone=many", callers: 400, for: .seconds(8))
        #expect(seen.share <= 0.03, "\(seen.rejected.count) of \(seen.later.count)")
        #expect(seen.later.count >= 70, "\(seen.later.count)")
    }

    @Test func nginxWithoutATime() async throws {
        let url = try #require(Counterparts.nginx)
        let seen = try await observe(url + "/limited/plain?zone=plain", for: .seconds(8))
        #expect(seen.share <= 0.03, "\(seen.rejected.count) of \(seen.later.count)")
        #expect(try #require(seen.leastSpread(of: 1)) >= 0.8)
        #expect(seen.later.count >= 70, "\(seen.later.count)")
    }
}
