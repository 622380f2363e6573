import GatewayCore
import GatewayTesting

@testable import GatewayResilience

/// An engine with a cache, above a scripted transport, on a manual clock.
struct CacheBench {
    let clock: ManualClock
    /// The clock of the cache's waits for the store.
    let storeClock = ManualClock()
    let transport: ScriptedTransport
    let store: any CacheStore
    let cache: HTTPCache
    let events = EventRecorder()
    let engine: AsyncRequestEngine

    init(
        _ transport: ScriptedTransport, policy: CachePolicy = CachePolicy(),
        store: any CacheStore = MemoryCacheStore(), clock: ManualClock = ManualClock(),
        coalesces: Bool = true
    ) {
        self.clock = clock
        self.transport = transport
        self.store = store
        // A clock of its own: the store's limit passes if a test says so.
        cache = HTTPCache(store: store, policy: policy, clock: storeClock)
        var configuration = AsyncRequestEngine.Configuration()
        configuration.cache = cache
        configuration.clock = clock
        configuration.events = events
        configuration.retry.policy = ExponentialRetryPolicy(maximumAttempts: 1)
        configuration.coalescing = coalesces ? .init() : nil
        engine = AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    /// Sends a request to `https://a.example`.
    @discardableResult
    func send(
        _ target: String = "/x", _ method: HTTPMethod = .get, fields: HTTPFields = [:],
        mode: CacheMode? = nil, credentials: (any CredentialSource)? = nil,
        change: (inout RequestContext) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        var request = try HTTPRequest(method, "https://a.example\(target)", fields: fields)
        let options = CallOptions(cache: mode)
        request.apply(options)
        var context = RequestContext(options: options, credentials: credentials, clock: clock)
        change(&context)
        return try await engine.send(request, context: context)
    }

    /// A response whose body is the number of the request, from 0.
    static func counting(
        _ fields: HTTPFields = ["Cache-Control": "max-age=60"], status: Int = 200
    ) -> ScriptedTransport {
        ScriptedTransport { _, index in .status(status, fields: fields, "\(index)") }
    }

    var results: [CacheResult] {
        events.events.compactMap { if case .cacheLookedUp(let result) = $0.kind { result } else { nil } }
    }
}

extension HTTPResponse {
    /// The body as text.
    var bodyText: String { body.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "stream" }
}

/// Stamps a token, with an identity that a test can choose.
final class CacheCredential: CredentialSource {
    let identity: CredentialIdentity

    init(_ key: String, epoch: UInt64 = 1, account: String? = nil) {
        identity = CredentialIdentity(key: key, epoch: epoch, account: account)
    }

    func isReady(atLeast generation: UInt64) -> Bool { true }
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        request.fields[.authorization] = "Bearer \(identity.key)"
        return CredentialStamp(identity: identity, generation: 1)
    }
}
