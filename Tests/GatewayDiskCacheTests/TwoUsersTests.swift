import GatewayCore
import GatewayDiskCache
import GatewayResilience
import GatewayTesting
import Testing

/// Two users of one cache, through an engine: each gets what the server sent to that user.
@Suite struct TwoUsersTests {
    private final class User: CredentialSource {
        let account: String
        let epoch: UInt64
        init(account: String, epoch: UInt64) { (self.account, self.epoch) = (account, epoch) }
        var identity: CredentialIdentity { CredentialIdentity(key: "key", epoch: epoch, account: account) }
        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? { nil }
    }

    /// Sends the account, the target and the number of the request, now and then as a 304.
    private final class Server: RequestEngine {
        let services: EngineServices
        let count = Locked(0)
        init(clock: any GatewayClock) { services = EngineServices(clock: clock) }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let account = context.credentials?.identity.account ?? "-"
            let tag = "\"\(account)\""
            let exchange = Exchange(origin: request.origin, attempts: 1)
            let fields: HTTPFields = [
                "Cache-Control": number % 3 == 0 ? "max-age=60" : "max-age=0", "ETag": tag,
                "Vary": "Accept-Language",
            ]
            if request.fields["If-None-Match"] == tag {
                return HTTPResponse(status: 304, fields: fields, body: .bytes([]), exchange: exchange)
            }
            return HTTPResponse(
                status: 200, fields: fields, body: .bytes(Array("\(account) \(request.target)".utf8)),
                exchange: exchange)
        }
    }

    @Test(arguments: [false, true])
    func neverGetTheOthersBytes(onDisk isOnDisk: Bool) async throws {
        let fixture = try DiskCacheFixture()
        let clock = ManualClock()
        let server = Server(clock: clock)
        let memory = MemoryCacheStore()
        var engine = CacheEngine(below: server, cache: HTTPCache?.none)
        var restarts: UInt64 = 0
        func restart() {
            restarts += 1
            let store: any CacheStore = isOnDisk ? DiskCacheStore(path: fixture.path) : memory
            // Without a limit of time for the store, which would be one of the machine.
            engine = CacheEngine(below: server, cache: HTTPCache(store: store, clock: ManualClock()))
        }
        restart()
        let source = SeededRandomSource(seed: TestSeed.value(3))
        var fromStore = 0
        let rounds = SoakScale.rounds(100)
        for round in 0..<rounds {
            let random = source.next()
            if round % 10 == 9 { restart() }
            let account = random & 1 == 0 ? "ada" : "bob"
            var context = RequestContext(clock: clock)
            // The number of the login is that of the process: after a restart it is the other user's.
            context.credentials = User(account: account, epoch: 1 + (restarts ^ (random & 1)) % 2)
            let target = "/books/\(random >> 8 & 3)"
            let response = try await engine.send(
                try HTTPRequest(.get, "https://api.example.com\(target)", fields: ["Accept-Language": "en"]),
                context: context)
            let text = String(decoding: try await response.body.collect(upToBytes: 1_000), as: UTF8.self)
            #expect(text == "\(account) \(target)", "round \(round)")
            if response.exchange.source != .network { fromStore += 1 }
            clock.advance(by: .seconds(Int(random >> 20 & 15)))
        }
        #expect(fromStore > rounds / 5, "the cache was not used")
    }
}
