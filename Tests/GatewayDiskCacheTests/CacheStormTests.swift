import GatewayCore
import GatewayDiskCache
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// Reads, writes and sign-outs at random, all at the same time: in one process over memory, and in two over a file.
///
/// After a write was answered to a process, that process gets nothing older. When a sign-out is complete, no file has a byte of its
/// responses.
@Suite(.timeLimit(.minutes(30)), .tags(.concurrent)) struct CacheStormTests {
    /// A login as an engine has it.
    private final class Login: CredentialSource {
        let account: String
        init(account: String) { self.account = account }
        var identity: CredentialIdentity { CredentialIdentity(key: account, epoch: 1, account: account) }
        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? { nil }
    }

    /// What the server has, and what was answered to whom.
    private final class World: Sendable {
        private struct State {
            /// The number of the current login of each person.
            var logins: [Int: Int] = [:]
            var ended: Set<String> = []
            /// The newest version of each resource, by login and target.
            var versions: [String: Int] = [:]
            /// The newest version that was answered to a process that has written it.
            var answered: [String: Int] = [:]
        }

        private let state = Locked(State())

        /// The account of a person's current login.
        func account(of person: Int) -> String {
            state.withLock { Self.account(of: person, in: $0) }
        }

        /// Ends the current login of a person, and begins the next one.
        ///
        /// - Returns: the account that has ended.
        func signOut(_ person: Int) -> String {
            state.withLock { state in
                let account = Self.account(of: person, in: state)
                state.ended.insert(account)
                state.logins[person, default: 0] += 1
                return account
            }
        }

        private static func account(of person: Int, in state: State) -> String {
            "person\(person)login\(state.logins[person] ?? 0)-"
        }

        func hasEnded(_ account: String) -> Bool { state.withLock { $0.ended.contains(account) } }

        func version(of resource: String) -> Int { state.withLock { $0.versions[resource] ?? 0 } }

        func write(_ resource: String) -> Int {
            state.withLock { state in
                let version = (state.versions[resource] ?? 0) + 1
                state.versions[resource] = version
                return version
            }
        }

        func answer(_ version: Int, of resource: String, to process: Int) {
            state.withLock { state in
                let name = "\(process) \(resource)"
                state.answered[name] = max(version, state.answered[name] ?? 0)
            }
        }

        func answered(_ resource: String, to process: Int) -> Int {
            state.withLock { $0.answered["\(process) \(resource)"] ?? 0 }
        }
    }

    /// Reads a resource or writes it, and takes a while before and after that.
    private final class Server: RequestEngine {
        let services: EngineServices
        private let world: World
        private let random: SeededRandomSource

        init(_ world: World, clock: any GatewayClock, random: SeededRandomSource) {
            self.world = world
            services = EngineServices(clock: clock)
            self.random = random
        }

        private func pause() async {
            for _ in 0..<(random.next() % 20) { await Task.yield() }
        }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            let account = context.credentials?.identity.account ?? "-"
            // As a stamp does: the request of a login that has ended is not sent.
            guard !world.hasEnded(account) else { throw NetworkError(.signedOut, "A test.") }
            let resource = account + request.target
            let exchange = Exchange(origin: request.origin, attempts: 1)
            await pause()
            guard request.method == .get else {
                let version = world.write(resource)
                await pause()
                return HTTPResponse(
                    status: 200, fields: [:], body: .bytes(Array("\(version)".utf8)), exchange: exchange)
            }
            let version = world.version(of: resource)
            let mark = random.next()
            let tag = "\"\(version)\""
            await pause()
            let fields: HTTPFields = [
                "Cache-Control": mark & 1 == 0 ? "max-age=60" : "max-age=0", "ETag": tag,
                "X-Owner": account,
            ]
            if request.fields["If-None-Match"] == tag {
                return HTTPResponse(status: 304, fields: fields, body: .bytes([]), exchange: exchange)
            }
            let filler = String(repeating: account, count: Int(mark >> 8 % 20))
            return HTTPResponse(
                status: 200, fields: fields, body: .bytes(Array("\(version) \(filler)".utf8)),
                exchange: exchange)
        }
    }

    /// A process: an engine and a cache of its own.
    private struct Peer: Sendable {
        let number: Int
        let cache: HTTPCache
        let engine: CacheEngine<Server>
        let world: World

        /// - Returns: what is wrong.
        func act(_ random: UInt64, _ isErased: @Sendable (String) throws -> Bool) async throws -> String? {
            let person = Int(random % 3)
            let target = "/\(random >> 8 % 3)"
            switch random >> 16 % 20 {
            case 0: return try await signOut(person, isErased)
            case 1...4: return try await call(person, target, .post)
            default: return try await call(person, target, .get)
            }
        }

        private func call(_ person: Int, _ target: String, _ method: HTTPMethod) async throws -> String? {
            let account = world.account(of: person)
            let least = world.answered(account + target, to: number)
            var context = RequestContext(clock: engine.services.clock)
            context.credentials = Login(account: account)
            let request = try HTTPRequest(method, "https://api.example.com\(target)")
            let response: HTTPResponse
            do throws(NetworkError) {
                response = try await engine.send(request, context: context)
            } catch {
                guard error.code == .signedOut else { throw error }
                return nil
            }
            let text = String(decoding: try await response.body.collect(upToBytes: 100_000), as: UTF8.self)
            let version = Int(text.prefix { $0 != " " }) ?? -1
            if method == .post {
                world.answer(version, of: account + target, to: number)
                return nil
            }
            guard response.fields["X-Owner"] == account else { return "a response of another login" }
            return version < least ? "version \(version) after \(least) was answered" : nil
        }

        private func signOut(
            _ person: Int, _ isErased: @Sendable (String) throws -> Bool
        ) async throws -> String? {
            let account = world.signOut(person)
            do throws(CacheStoreError) { try await cache.removeAll(account: account) } catch {
                guard await cache.waitUntilRemoved() else { return "a sign-out was not completed" }
            }
            return try isErased(account) ? nil : "bytes of a login are left"
        }
    }

    private func storm(
        _ caches: [HTTPCache], isErased: @escaping @Sendable (String) throws -> Bool
    ) async throws -> [Peer] {
        let seed = TestSeed.value(37)
        let source = SeededRandomSource(seed: seed)
        let (world, clock) = (World(), ManualClock())
        let processes = caches.enumerated().map { number, cache in
            let server = Server(world, clock: clock, random: SeededRandomSource(seed: seed &+ UInt64(number)))
            return Peer(
                number: number, cache: cache, engine: CacheEngine(below: server, cache: cache), world: world)
        }
        for round in 0..<SoakScale.rounds(100) {
            let problems = try await withThrowingTaskGroup(of: String?.self) { group in
                for index in 0..<12 {
                    let (process, random) = (processes[index % processes.count], source.next())
                    group.addTask { try await process.act(random, isErased) }
                }
                return try await group.reduce(into: [String]()) { problems, problem in
                    if let problem { problems.append(problem) }
                }
            }
            #expect(problems == [], "round \(round)")
            if !problems.isEmpty { break }
        }
        // The cache was used after all.
        let random: UInt64 = 5 << 16
        for process in processes {
            for _ in 0..<4 { #expect(try await process.act(random, isErased) == nil) }
        }
        return processes
    }

    @Test func oneProcessOverMemory() async throws {
        let store = MemoryCacheStore()
        let cache = HTTPCache(store: store)
        let processes = try await storm([cache]) { account in
            let keys = try (0..<3).map { target in
                CacheKey(
                    partition: CachePartition(owner: .account(account)),
                    origin: try Origin("https://api.example.com"), target: "/\(target)")
            }
            return keys.allSatisfy { store.heads(for: $0).isEmpty }
        }
        #expect(processes.count == 1 && store.count > 0)
    }

    @Test(.waits("sign-outs that meet another process in the file are tried again after a random pause"))
    func twoProcessesOverAFile() async throws {
        let fixture = try DiskCacheFixture()
        let caches = (0..<2).map { _ in HTTPCache(store: DiskCacheStore(path: fixture.path)) }
        let processes = try await storm(caches) { account in try !fixture.holds(account) }
        #expect(processes.count == 2)
        #expect(try fixture.holds("person"), "nothing was stored")
    }
}
