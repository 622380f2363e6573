import GatewayClient
import GatewayDiskCache

/// What a call takes whose response is stored: the processor's time of all threads, and its allocations. The rounds
/// alternate.
struct CacheCost {
    /// Returns a response of 4 KiB, as a rule one that is fresh for a day.
    private struct Immediate: RequestEngine {
        let services = EngineServices()
        let response: HTTPResponse

        init(origin: Origin, freshness: String = "max-age=86400") {
            response = HTTPResponse(
                status: 200,
                fields: [
                    "Cache-Control": freshness, "ETag": "\"1\"", "Content-Type": "application/json",
                    "Content-Length": "4096", "Vary": "Accept, Authorization",
                ],
                body: .bytes([UInt8](repeating: 0x20, count: 4_096)), exchange: Exchange(origin: origin))
        }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse { response }
    }

    /// Validates a response for longer than anything is measured.
    private final class Unanswered: RequestEngine {
        let services = EngineServices()

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            try? await Task.sleep(for: .seconds(86_400))
            throw NetworkError(.closed, "The benchmark has ended.", origin: request.origin)
        }
    }

    private final class Login: CredentialSource {
        var identity: CredentialIdentity { CredentialIdentity(key: "key", epoch: 1, account: "account") }
        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? { nil }
    }

    let calls: Int
    let rounds: Int
    let folder: String

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let below = Immediate(origin: request.origin)
        let stale = Immediate(origin: request.origin, freshness: "max-age=0, stale-while-revalidate=86400")
        let disk = DiskCacheStore(path: folder + "/cost.sqlite")
        func engine(_ cache: HTTPCache?) -> CacheEngine<Immediate> { CacheEngine(below: below, cache: cache) }
        let engines: [(name: String, engine: any RequestEngine)] = [
            ("direct", below), ("absent", engine(nil)), ("memory", engine(HTTPCache())),
            ("stale", CacheEngine(below: stale, cache: HTTPCache())),
            ("disk", engine(HTTPCache(store: disk))),
        ]
        var context = RequestContext(credentials: Login())
        // The stale response is validated from its first use on.
        let (reentry, top) = (EngineReentry(), Unanswered())
        reentry.attach(top)
        context.enter(deadline: nil, events: nil, reentry: reentry)
        defer { withExtendedLifetime(top) {} }
        var times: [[Double]] = engines.map { _ in [] }
        for round in 0...rounds {
            for (index, (name, engine)) in engines.enumerated() {
                let count = name == "disk" ? max(1, calls / 10) : calls
                let time = try await CallCost.nanoseconds(engine, request, context, calls: count)
                // The first round stores the response and warms caches.
                if round > 0 { times[index].append(time) }
            }
        }
        var figures: [FigureRow.Figure] = []
        for (index, (name, _)) in engines.enumerated() {
            let limit: Double? = ["memory": 3_000, "stale": 4_000, "disk": 60_000][name]
            figures.append(
                .init(
                    name: "ns_\(name)", value: FigureRow.median(times[index]),
                    goal: limit.flatMap { .optimized(.atMost($0)) }))
        }
        if let direct = try await CallCost.allocations(below, request, context),
            let absent = try await CallCost.allocations(engine(nil), request, context),
            let memory = try await CallCost.allocations(engines[2].engine, request, context),
            let stale = try await CallCost.allocations(engines[3].engine, request, context)
        {
            figures += [
                .init(name: "alloc_added_absent", value: absent - direct, goal: .atMost(0.01)),
                .init(name: "alloc_memory", value: memory), .init(name: "alloc_stale", value: stale),
            ]
        }
        return FigureRow(
            name: "cost", title: "A stored response of 4 KiB, CPU (\(calls) calls a round)", rounds: rounds,
            figures: figures)
    }
}
