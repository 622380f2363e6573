import GatewayCore

/// What a ``CacheEngine`` does for one request. An object, to keep the async frame of calls small.
final class CacheCourse: Sendable {
    struct State {
        /// Whether the request was sent with validators of the stored response.
        var isConditional = false
        /// When the request was sent.
        var requested = Duration.zero
        /// The store's generation before the request was sent; `nil` if unknown, and the response is not
        /// stored.
        var generation: CacheGeneration?
        /// How long the call has waited for the store so far.
        var waited = Duration.zero
        /// Whether the store has taken too long.
        var isStoreLate = false
        var isBypass = false
        /// Why the request is sent, for `Cache-Status`.
        var forward = ""
    }

    let request: HTTPRequest
    let asked: CacheRequest
    let context: RequestContext
    let cache: HTTPCache
    let key: CacheKey
    let state = Locked(State())

    init(
        _ request: HTTPRequest, _ asked: CacheRequest, _ context: RequestContext, _ cache: HTTPCache,
        _ key: CacheKey
    ) {
        self.request = request
        self.asked = asked
        self.context = context
        self.cache = cache
        self.key = key
    }

    var policy: CachePolicy { _read { yield cache.policy } }
    var now: Int64 { context.clock.unixTime.milliseconds }

    /// Whether validators were sent.
    var isConditional: Bool { state.withLock { $0.isConditional } }

    /// The mode of the call. A call that is repeated because its credential was rejected does not use stored responses.
    var mode: CacheMode {
        switch context.attempt.reason {
        case .replay, .nonce, .stepUp: context.cache == .noStore ? .noStore : .reload
        default: context.cache
        }
    }

    // MARK: Looking up

    /// The decision by the stored heads, with the body of the selected response, in one request to the
    /// store; the body is `nil` without such a response, or if it was removed.
    func lookUp() async -> (CacheAnswer, [UInt8]?) {
        guard cache.accepts(key), !cache.isUnconfirmed(key) else { return (answer(from: []), nil) }
        let found = await ask { [self] (store) async throws(CacheStoreError) -> (CacheAnswer, [UInt8]?) in
            let found = answer(from: try await store.heads(for: key))
            switch found {
            case .hit(let use), .stale(let use): return (found, try await body(of: use.head, in: store))
            default: return (found, nil)
            }
        }
        return found ?? (answer(from: []), nil)
    }

    /// The decision without waiting; `nil` if the store may wait.
    @inline(never)
    func lookUpNow() -> CacheAnswer? {
        guard let memory = cache.memory else { return nil }
        return answer(from: cache.isUnconfirmed(key) ? [] : memory.heads(for: key))
    }

    private func answer(from heads: [CachedHead]) -> CacheAnswer {
        let answer = cache.decision.decide(
            asked, heads: heads, mode: mode, budget: policy.budget(of: context.operation), now: now)
        switch answer {
        case .hit(let use), .stale(let use):
            guard StoredResponse.canAnswer(asked, from: use.head) else { return .miss(nil) }
            if case .stale = answer, context.reentry == nil {
                return use.validators.isEmpty ? .miss(use) : .validate(use)
            }
            return answer
        default: return answer
        }
    }

    func storedHeads(_ key: CacheKey) async -> [CachedHead] {
        guard cache.accepts(key), !cache.isUnconfirmed(key) else { return [] }
        return await ask { (store) async throws(CacheStoreError) -> [CachedHead] in
            try await store.heads(for: key)
        } ?? []
    }

    func storedBody(_ head: CachedHead) async -> [UInt8]? {
        let found = await ask { [self] (store) async throws(CacheStoreError) -> [UInt8]? in
            try await body(of: head, in: store)
        }
        return found.flatMap { $0 }
    }

    private func body(
        of head: CachedHead, in store: any CacheStore
    ) async throws(CacheStoreError) -> [UInt8]? {
        if asked.isHead { return [] }
        guard let body = try await store.body(of: head.id, for: key) else { return nil }
        return body.count == head.bodyBytes ? body : nil
    }

    /// The result of a store operation; `nil` if it fails, or takes longer than the rest of the policy's
    /// limit.
    func ask<Value: Sendable>(
        _ question: @escaping @Sendable (any CacheStore) async throws(CacheStoreError) -> Value
    ) async -> Value? {
        let answer: Result<Value, CacheStoreError>?
        let store = cache.store
        if cache.memory == nil, let limit = policy.storeLimit {
            let began = cache.patience.clock.now
            answer = await limited(limit) { await Self.result(of: question, store) }
            let time = began.duration(to: cache.patience.clock.now)
            state.withLock { $0.waited += time }
        } else {
            answer = await Self.result(of: question, store)
        }
        switch answer {
        case .some(.success(let value)): return value
        case .some(.failure(let error)): failed(error)
        case .none: noteLateStore()
        }
        return nil
    }

    /// Changes the store, and waits within the same limit. The change is made in any case.
    func change(_ change: CacheChange) async {
        let began = cache.patience.clock.now
        let rest = policy.storeLimit.map { $0 - state.withLock { $0.waited } }
        let error = await cache.change(change, within: rest)
        let time = began.duration(to: cache.patience.clock.now)
        state.withLock { $0.waited += time }
        guard let error else { return }
        if error.code == .timedOut { noteLateStore() } else { failed(error) }
    }

    private func limited<Value: Sendable>(
        _ limit: Duration, _ question: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let rest = limit - state.withLock { $0.waited }
        guard rest > .zero else { return nil }
        return await cache.patience.value(within: rest, cancelling: true, of: question)
    }

    private static func result<Value: Sendable>(
        of question: @Sendable (any CacheStore) async throws(CacheStoreError) -> Value,
        _ store: any CacheStore
    ) async -> Result<Value, CacheStoreError> {
        do throws(CacheStoreError) { return .success(try await question(store)) } catch {
            return .failure(error)
        }
    }

    /// Records that the store takes too long, with one event per call.
    private func noteLateStore() {
        let isFirst = state.withLock { state in
            defer { state.isStoreLate = true }
            return !state.isStoreLate
        }
        if isFirst { failed(.timeLimitPassed) }
    }

    func failed(_ error: CacheStoreError) {
        context.record(.cacheStoreFailed(error.code.name), at: request.origin)
    }

    // MARK: Using

    /// The response from a stored one; `nil` if its body was removed.
    ///
    /// - Parameter body: its body; `nil` if the store never waits.
    @inline(never)
    func stored(_ use: StoredUse, body: [UInt8]?) throws(NetworkError) -> HTTPResponse? {
        guard let body = body ?? cache.memory?.body(of: use.head.id, for: key) else { return nil }
        return try stored(use, body)
    }

    private func stored(_ use: StoredUse, _ body: [UInt8]) throws(NetworkError) -> HTTPResponse {
        let response = try response(
            use, body, isValidated: false, Exchange(origin: request.origin, attempts: 0),
            use.isFresh ? .cache : .staleCache)
        context.record(.cacheLookedUp(use.isFresh ? .hit : .stale), for: request)
        return policy.statusName == nil ? response : statused(response, "hit; ttl=\(-use.staleness / 1000)")
    }

    func response(
        _ use: StoredUse, _ body: [UInt8], isValidated: Bool, _ exchange: Exchange, _ source: Exchange.Source
    ) throws(NetworkError) -> HTTPResponse {
        if case .collect(let limit) = context.response, body.count > limit {
            throw NetworkError(
                .responseTooLarge, "The stored response is larger than the limit of \(limit) bytes.",
                origin: request.origin)
        }
        let made = StoredResponse.make(use, body, to: asked, isValidated: isValidated)
        var exchange = exchange
        exchange.source = source
        return HTTPResponse(
            status: made.status, fields: made.fields, body: .bytes(made.body), exchange: exchange)
    }

    /// The error or the response of a call that accepts stored responses only (RFC 9111 §5.2.1.7).
    func unsatisfied() throws(NetworkError) -> HTTPResponse {
        context.record(.cacheLookedUp(.miss), for: request)
        guard context.cache != .onlyIfCached else {
            throw NetworkError(
                .notCached, "The call may use only a stored response, and there is none.",
                origin: request.origin)
        }
        var exchange = Exchange(origin: request.origin, attempts: 0)
        exchange.source = .cache
        return statused(HTTPResponse(status: 504, exchange: exchange), "detail=only-if-cached")
    }

    func statused(_ response: HTTPResponse, _ status: String) -> HTTPResponse {
        guard let name = policy.statusName else { return response }
        var response = response
        response.fields.append("Cache-Status", "\(name); \(status)")
        return response
    }

    // MARK: Sending

    /// Begins the exchange.
    ///
    /// - Returns: the request to send, and the stored response that it validates or that may replace an
    ///   error.
    func begin(_ answer: CacheAnswer) async -> (HTTPRequest, StoredUse?) {
        let generation = await generation(answer)
        let requested = context.clock.unixTime
        state.withLock { state in
            state.requested = .milliseconds(requested.milliseconds)
            state.generation = generation
            state.isBypass = if case .bypass = answer { true } else { false }
            state.forward = Self.forward(answer)
        }
        context.record(.cacheLookedUp(.miss), for: request)
        switch answer {
        case .validate(let use):
            var conditional = request
            for field in use.validators { conditional.setField(field.name, field.value) }
            state.withLock { $0.isConditional = true }
            return (conditional, use)
        case .miss(let use): return (request, use)
        default: return (request, nil)
        }
    }

    /// The store's generation, if the response may be stored.
    private func generation(_ answer: CacheAnswer) async -> CacheGeneration? {
        if let memory = cache.memory { return memory.generation(for: key) }
        guard cache.accepts(key) else { return nil }
        if case .bypass = answer { return nil }
        let key = key
        return await ask { (store) async throws(CacheStoreError) -> CacheGeneration in
            try await store.generation(for: key)
        }
    }

    private static func forward(_ answer: CacheAnswer) -> String {
        switch answer {
        case .validate(let use): use.isFresh ? "fwd=request" : "fwd=stale"
        case .miss(let use): use.map { $0.isFresh ? "fwd=request" : "fwd=stale" } ?? "fwd=miss"
        case .bypass: "fwd=bypass"
        default: "fwd=miss"
        }
    }

    /// The caller's original request, without validators.
    func withoutValidators() -> HTTPRequest {
        state.withLock { $0.isConditional = false }
        return request
    }

    /// The stored response that replaces an error; `nil` if it must not be used.
    func replacement(of error: NetworkError, _ use: StoredUse) async throws(NetworkError) -> HTTPResponse? {
        guard error.code.isTransient, !error.code.concernsCredential, error.code != .cancelled else {
            return nil
        }
        return try await replacement(use, attempts: error.attempts, status: nil)
    }

    /// The stored response that replaces a server error; `nil` if it must not be used.
    func replacement(
        of response: HTTPResponse, _ use: StoredUse
    ) async throws(NetworkError) -> HTTPResponse? {
        switch response.status {
        case 500, 502, 503, 504: break
        default: return nil
        }
        guard
            let stored = try await replacement(
                use, attempts: response.exchange.attempts, status: response.status)
        else { return nil }
        response.body.discard()
        return stored
    }

    private func replacement(
        _ use: StoredUse, attempts: Int, status: Int?
    ) async throws(NetworkError) -> HTTPResponse? {
        let use = StoredUse(use.head, cache.decision, now: now)
        guard use.mayReplaceError(asked, mode: mode, policy: policy), let body = await storedBody(use.head)
        else { return nil }
        context.record(.cacheLookedUp(.stale), for: request)
        let response = try response(
            use, body, isValidated: false, Exchange(origin: request.origin, attempts: attempts),
            use.isFresh ? .cache : .staleCache)
        let forwarded = state.withLock { $0.forward } + (status.map { "; fwd-status=\($0)" } ?? "")
        return statused(response, "\(forwarded); ttl=\(-use.staleness / 1000)")
    }
}
