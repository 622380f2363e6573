import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import Testing

/// The cache in front of caching proxies written by others, which send their own `Age`, `Date` and 304 responses.
///
/// The clock of the cache is a manual one. It is behind that of the servers, as a clock may be: if it were ahead, the
/// difference would count as age (RFC 9111 §4.2.3).
@Suite(
    .enabled(if: !Counterparts.cachingProxies.isEmpty, "scripts/test.sh starts caching proxies"),
    .timeLimit(.minutes(5)))
struct CachingProxyTests {
    /// In seconds. Real time, which the ages of the proxies count, never gets there.
    private static let lifetime = 3_600
    private static let bodyBytes = 16_384

    /// What a test has sent and received.
    private final class Wire: Transport {
        struct Count {
            var requests = 0
            var full = (responses: 0, bytes: 0)
            var unchanged = (responses: 0, bytes: 0)
            /// The `Age` of the last response; `nil` without one.
            var age: Int?
        }

        private let below = CurlTransport()
        private let state = Locked(Count())
        var count: Count { state.withLock { $0 } }

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            state.withLock { $0.requests += 1 }
            let response = try await below.send(request, context: context)
            // The status line and the fields as HTTP/1.1 has them, and the body.
            let head = response.fields.reduce(19) {
                $0 + $1.name.description.utf8.count + $1.value.utf8.count + 4
            }
            let bytes = head + (response.body.bytes?.count ?? 0)
            state.withLock { count in
                count.age = response.fields["Age"].flatMap { Int($0) }
                if response.status == 304 {
                    count.unchanged = (count.unchanged.responses + 1, count.unchanged.bytes + bytes)
                } else {
                    count.full = (count.full.responses + 1, count.full.bytes + bytes)
                }
            }
            return response
        }

        func shutdown() async { await below.shutdown() }
    }

    private let wire = Wire()
    /// Distinguishes the URIs of this test from those of others.
    private let run = String(SystemRandomSource().next(), radix: 36)

    private func engine(_ clock: ManualClock) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.cache = HTTPCache()
        configuration.clock = clock
        configuration.deadline = nil
        configuration.retry.policy = .never
        return AsyncRequestEngine(transport: wire, configuration: configuration)
    }

    /// A clock that will be moved on by a number of seconds.
    private func clock(behindBySeconds seconds: Int) -> ManualClock {
        ManualClock(unixTime: SystemClock().unixTime - .seconds(seconds))
    }

    /// 10,000 requests for 100 URIs, in ten windows of time, at the soak's length: in each window, nine of ten are for a
    /// fresh response.
    @Test(arguments: Counterparts.cachingProxies)
    func onlyRequestsForStaleResponsesAreSent(proxy: CachingProxy) async throws {
        let windows = max(2, SoakScale.rounds(1))
        let pages = min(100, SoakScale.rounds(20))
        let clock = clock(behindBySeconds: (windows + 1) * (Self.lifetime + 1))
        let engine = engine(clock)
        // Half of the pages have an entity tag, the others a date alone.
        let requests = try (0..<pages).map { page in
            let path = page.isMultiple(of: 2) ? "page" : "dated"
            return try HTTPRequest(
                .get, "\(proxy.url)/\(path)?age=\(Self.lifetime)&run=\(run)&page=\(page)")
        }
        var sources: [Exchange.Source: Int] = [:]
        for _ in 0..<windows {
            for _ in 0..<10 {
                for request in requests {
                    let response = try await engine.send(request, context: RequestContext(clock: clock))
                    #expect(response.status == 200 && response.body.bytes?.count == Self.bodyBytes)
                    sources[response.exchange.source, default: 0] += 1
                }
            }
            clock.advance(by: .seconds(Self.lifetime + 1))
        }
        let count = wire.count
        #expect(
            sources == [.network: pages, .revalidated: pages * (windows - 1), .cache: 9 * pages * windows])
        #expect(count.requests == pages * windows)
        #expect(count.full.responses == pages && count.unchanged.responses == pages * (windows - 1))
        let full = count.full.bytes / max(1, count.full.responses)
        let unchanged = count.unchanged.bytes / max(1, count.unchanged.responses)
        #expect(unchanged * 20 < full, "A validation costs \(unchanged) bytes, a full response \(full).")
        // The proxy is a cache too. Apache's shared memory has room for some of the pages only.
        if proxy.name != "apache" {
            let reached = try Counterparts.cachedOriginLog().count { $0.contains("run=\(run)&") }
            #expect(reached <= 2 * pages, "\(reached) of \(count.requests) requests reached the origin.")
        }
        await wire.shutdown()
    }

    /// The origin says that another cache has kept the page for 30 s.
    @Test(arguments: Counterparts.cachingProxies)
    func agesAddUp(proxy: CachingProxy) async throws {
        let steps = [0, 1, 7, 45, 600]
        let clock = clock(behindBySeconds: 3 * (Self.lifetime + 1))
        let engine = engine(clock)
        let request = try HTTPRequest(
            .get, "\(proxy.url)/page?age=\(Self.lifetime)&resident=30&run=\(run)")
        func send() async throws -> HTTPResponse {
            try await engine.send(request, context: RequestContext(clock: clock))
        }
        // The second response of the proxy is one that it has stored.
        #expect(try await wire.send(request, context: RequestContext()).status == 200)
        for source in [Exchange.Source.network, .revalidated] {
            #expect(try await send().exchange.source == source)
            // A 304 without `Age` has none, whatever the stored response had.
            let received = wire.count.age ?? 0
            if source == .network { #expect(received >= 30) }
            var resident = 0
            for step in steps {
                clock.advance(by: .seconds(step))
                resident += step
                let response = try await send()
                #expect(response.exchange.source == .cache)
                let age = try #require(response.fields["Age"].flatMap { Int($0) })
                #expect((received + resident...received + resident + 1).contains(age))
            }
            clock.advance(by: .seconds(Self.lifetime))
        }
        await wire.shutdown()
    }
}
