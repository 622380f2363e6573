import Foundation
import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayDiskCache
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
        let transport = ScriptedTransport { request, _ in
            // Long enough for equal calls to meet.
            for _ in 0..<3 { await Task.yield() }
            let token = request.fields[.authorization]?.dropFirst("Bearer ".count) ?? "nobody"
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
            let path = "page/\(random.next() % 3)"
            try await withThrowingTaskGroup(of: (expected: String, answer: String).self) { group in
                for person in people {
                    for _ in 0..<2 { group.addTask { try await person.whoAmI(path) } }
                }
                for try await (expected, answer) in group { #expect(answer == expected) }
            }
        }
        // Something was shared after all, but among the calls of one login alone.
        #expect(transport.requests.count < SoakScale.rounds(100) * 8)
    }
}
