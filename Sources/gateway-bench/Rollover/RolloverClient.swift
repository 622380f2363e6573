import BenchmarkClients
import Dispatch
import FoundationEssentials
import GatewayClient
import GatewayRedis
import Glibc
import Synchronization

/// One process that makes calls while its tokens end, until its standard input ends.
struct RolloverClient {
    /// What it is told, by the environment: some of it is secret.
    struct Directions: Codable {
        let apiURL: String
        let tokenURL: String
        let clientID: String
        let secret: String
        let refreshToken: String
        let store: String
        let concurrency: Int
        /// Calls a second; 0 for as many as there can be.
        let rate: Double
    }

    /// What it has seen.
    struct Outcome: Codable {
        var requests = 0
        /// Failed calls by their code or status.
        var failures: [String: Int] = [:]
        /// 401s, whether a replay mended them or not.
        var unauthorized = 0
        /// Tokens that it got itself, by when (seconds of the machine's monotonic clock).
        var refreshes: [Double] = []
        /// Tokens that another process had got.
        var adopted = 0
        /// Refreshes that failed, by code.
        var refreshFailures: [String: Int] = [:]
        /// How long the longest call took.
        var longestMilliseconds = 0.0
    }

    static let variable = "GATEWAY_BENCH_ROLLOVER"
    static let path = "/bench/rollover"

    private let directions: Directions

    init(_ arguments: [String]) throws {
        guard arguments.isEmpty, let text = ProcessInfo.processInfo.environment[Self.variable] else {
            throw BenchmarkFailure.failed("client-rollover is told by the environment what to do")
        }
        directions = try JSONDecoder().decode(Directions.self, from: Data(text.utf8))
    }

    /// Counts what happens.
    private final class Tally: RequestEventSink {
        let outcome = Locked(Outcome())
        let unauthorized = Atomic<Int>(0)

        func record(_ event: borrowing RequestEvent) {
            if case .credentialRejected = event.kind { unauthorized.add(1, ordering: .relaxed) }
        }

        func hear(_ event: TokenEvent) {
            outcome.withLock { outcome in
                switch event.kind {
                case .refreshed: outcome.refreshes.append(ProcessUsage.now)
                case .adopted: outcome.adopted += 1
                case .refreshFailed(let cause, _, _, _):
                    outcome.refreshFailures[cause.code.name, default: 0] += 1
                default: break
                }
            }
        }
    }

    func run() async throws -> Outcome {
        let tally = Tally()
        let engine = try makeEngine(tally)
        let origin = try ParsedURL(directions.apiURL).origin
        let isOver = Self.endOfInput()
        let numbers = CallNumbers()
        let started = ProcessUsage.now
        await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<max(0, directions.concurrency) {
                group.addTask { [directions] in
                    var outcome = Outcome()
                    while !isOver.value.load(ordering: .acquiring) {
                        let number = numbers.next()
                        if directions.rate > 0 {
                            let due = started + Double(number) / directions.rate
                            let wait = due - ProcessUsage.now
                            if wait > 0.001 { try? await Task.sleep(for: .seconds(min(wait, 86_400))) }
                        }
                        // Every call goes on the wire; none is answered by another's flight.
                        let request = HTTPRequest(
                            method: .get, origin: origin, target: "\(Self.path)?n=\(number)")
                        await outcome.count { () async throws(NetworkError) in
                            try await engine.send(request, context: RequestContext()).status
                        }
                    }
                    return outcome
                }
            }
            for await outcome in group { tally.outcome.withLock { $0.add(outcome) } }
        }
        var outcome = tally.outcome.withLock { $0 }
        outcome.unauthorized = tally.unauthorized.load(ordering: .relaxed)
        return outcome
    }

    private func makeEngine(_ tally: Tally) throws -> GatewayEngine {
        let endpoint = try TokenEndpoint(
            directions.tokenURL,
            client: .basic(clientID: directions.clientID, secret: Secret(directions.secret)),
            transport: CurlTransport())
        let coordinator = TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint, initial: Secret(directions.refreshToken)),
            store: try store()
        ) { tally.hear($0) }
        var configuration = GatewayConfiguration()
        configuration.transport.connectionsPerOrigin = directions.concurrency
        configuration.transport.connectionsInAll = directions.concurrency
        configuration.events = tally
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: coordinator,
            scope: CredentialScope([try ParsedURL(directions.apiURL).origin], key: endpoint.key()))
        return try configuration.makeEngine()
    }

    private func store() throws -> (any TokenStore)? {
        let parts = directions.store.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("file", 2): return FileTokenStore(directory: parts[1])
        case ("redis", 2):
            let words = parts[1].split(separator: "/").map(String.init)
            guard words.count == 2, let port = UInt16(words[0]) else { break }
            var configuration = RedisConfiguration()
            configuration.port = port
            configuration.prefix = words[1]
            return RedisTokenStore(configuration)
        case ("none", _): return nil
        default: break
        }
        throw BenchmarkFailure.failed("unknown store")
    }

    private final class Flag: Sendable { let value = Atomic<Bool>(false) }

    /// Set when the process that started this one closes its standard input or ends.
    private static func endOfInput() -> Flag {
        let flag = Flag()
        DispatchQueue(label: "end of input").async {
            while readLine() != nil {}
            flag.value.store(true, ordering: .releasing)
        }
        return flag
    }
}

extension RolloverClient.Outcome {
    /// Makes a call and counts it.
    fileprivate mutating func count(_ call: () async throws(NetworkError) -> Int) async {
        let started = ProcessUsage.now
        requests += 1
        do throws(NetworkError) {
            let status = try await call()
            if status != 200 { failures["\(status)", default: 0] += 1 }
        } catch {
            failures[error.code.name, default: 0] += 1
        }
        longestMilliseconds = max(longestMilliseconds, (ProcessUsage.now - started) * 1e3)
    }

    /// Adds what another has seen.
    mutating func add(_ other: RolloverClient.Outcome) {
        requests += other.requests
        failures.merge(other.failures, uniquingKeysWith: +)
        unauthorized += other.unauthorized
        refreshes += other.refreshes
        adopted += other.adopted
        refreshFailures.merge(other.refreshFailures, uniquingKeysWith: +)
        longestMilliseconds = max(longestMilliseconds, other.longestMilliseconds)
    }
}
