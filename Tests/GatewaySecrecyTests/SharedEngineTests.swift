import Foundation
import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayDiskCache
import GatewayOfflineQueue
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// Several people by one engine, with a coordinator for each: what the engine shares among calls is never another one's.
@Suite(.timeLimit(.minutes(2))) struct SharedEngineTests {
    /// Somebody with a coordinator of their own, whose key is the same as everybody's.
    private final class Person: Sendable {
        let name: String
        private let shared: AsyncRequestEngine
        private let state: Locked<(login: Int, coordinator: TokenRefreshCoordinator)>

        init(_ name: String, shared: AsyncRequestEngine) {
            (self.name, self.shared) = (name, shared)
            state = Locked((0, Self.coordinator()))
        }

        private static func coordinator() -> TokenRefreshCoordinator {
            TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("nobody")))
        }

        /// Signs in, under another account each time, with the coordinator of before or with a new one.
        func signIn(anew: Bool) {
            state.withLock { state in
                state.login += 1
                if anew { state.coordinator = Self.coordinator() }
                state.coordinator.signIn(
                    with: TokenGrant(
                        accessToken: Secret("\(name)-\(state.login)"), expiresIn: .seconds(3600)),
                    account: "\(name)-\(state.login)")
            }
        }

        func signOut() { state.withLock(\.coordinator).signOut() }

        /// The credential of the login of this moment.
        func credential() throws -> any CredentialSource {
            state.withLock(\.coordinator).credentials(origins: [try Origin("https://a.example")])
        }

        /// What the server says who has called.
        func whoAmI(_ path: String) async throws -> (expected: String, answer: String) {
            let (login, coordinator) = state.withLock { $0 }
            let engine = AuthenticatedRequestEngine(
                below: shared, coordinator: coordinator, scope: try CredentialScope(["https://a.example"]))
            let response = try await engine.send(try HTTPRequest(.get, "https://a.example/\(path)"))
            return (
                "\(name)-\(login)",
                String(decoding: try await response.body.collect(upToBytes: 100), as: UTF8.self)
            )
        }
    }

    enum Store: CaseIterable { case none, memory, disk }

    @Test(
        .long("each round makes and forgets logins and calls of four people"), arguments: Store.allCases)
    func nobodyGetsAnotherOnesResponse(store: Store) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let mistaken = Locked<[String]>([])
        let transport = ScriptedTransport { request, _ in
            // Long enough for equal calls to meet.
            for _ in 0..<3 { await Task.yield() }
            let token = request.fields[.authorization]?.dropFirst("Bearer ".count) ?? "nobody"
            // What waits in the queue says whose it is.
            let owner = request.body.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
            if !token.hasPrefix(owner) { mistaken.withLock { $0.append("\(owner) as \(token)") } }
            return .status(200, fields: ["Cache-Control": "private, max-age=600"], String(token))
        }
        var configuration = AsyncRequestEngine.Configuration()
        configuration.cache =
            switch store {
            case .none: nil
            case .memory: HTTPCache()
            case .disk: HTTPCache(store: DiskCacheStore(path: path))
            }
        let shared = AsyncRequestEngine(transport: transport, configuration: configuration)
        let people = ["anna", "ben", "cora", "dirk"].map { Person($0, shared: shared) }
        for person in people { person.signIn(anew: false) }
        let queue = try await Self.queue(of: people, over: shared)
        await queue.start()
        var tickets: [QueueTicket] = []
        let random = SeededRandomSource(seed: TestSeed.value(362))
        for _ in 0..<SoakScale.rounds(100) {
            for person in people {
                switch random.next() % 6 {
                case 0: person.signIn(anew: false)
                case 1: person.signIn(anew: true)
                case 2:
                    person.signOut()
                    person.signIn(anew: random.next() % 2 == 0)
                default: break
                }
            }
            for person in people where random.next() % 4 == 0 {
                tickets.append(try await queue.enqueue(try Self.entry(of: person)))
            }
            let path = "page/\(random.next() % 3)"
            try await withThrowingTaskGroup(of: (expected: String, answer: String).self) { group in
                for person in people {
                    for _ in 0..<2 { group.addTask { try await person.whoAmI(path) } }
                }
                for try await (expected, answer) in group { #expect(answer == expected) }
            }
        }
        for ticket in tickets { #expect(try await ticket.outcome().isDone) }
        await queue.stop(within: .zero)
        #expect(mistaken.withLock { $0 } == [])
        // Something was shared after all, but among the calls of one login alone.
        let fetches = transport.requests.count { $0.method == .get }
        #expect(fetches < SoakScale.rounds(100) * 8)
        #expect(transport.requests.count - fetches == tickets.count)
    }

    private static func queue(
        of people: [Person], over engine: any RequestEngine
    ) async throws -> OfflineQueueEngine {
        var configuration = OfflineQueueEngine.Configuration()
        configuration.checkInterval = .milliseconds(1)
        configuration.backoff.base = .milliseconds(1)
        configuration.credentials = { account in
            try? people.first { $0.name == account.name }?.credential()
        }
        return try await OfflineQueueEngine(
            store: MemoryQueueStore(), engine: engine, configuration: configuration)
    }

    private static func entry(of person: Person) throws -> QueueRequest {
        QueueRequest(
            try HTTPRequest(.post, "https://a.example/entries", body: .text(person.name)),
            account: QueueAccount(person.name))
    }

    /// An account whose token was rejected goes on at its next login, with the same coordinator and with another one.
    @Test(arguments: [false, true])
    func aParkedAccountGoesOn(anew: Bool) async throws {
        let transport = ScriptedTransport { request, _ in
            .status(request.fields[.authorization] == "Bearer anna-1" ? 401 : 200)
        }
        let shared = AsyncRequestEngine(
            transport: transport, configuration: AsyncRequestEngine.Configuration())
        let anna = Person("anna", shared: shared)
        anna.signIn(anew: false)
        let queue = try await Self.queue(of: [anna], over: shared)
        await queue.start()
        let ticket = try await queue.enqueue(try Self.entry(of: anna))
        while try await queue.counts()[.parked] != 1 { await Task.yield() }
        anna.signIn(anew: anew)
        #expect(try await ticket.outcome().isDone)
        #expect(transport.requests.last?.fields[.authorization] == "Bearer anna-2")
        await queue.stop(within: .zero)
    }
}
