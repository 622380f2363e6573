import GatewayCore

/// What a ``CacheEngine`` does for one request. An object, to keep the async frame of calls small.
final class CacheCourse: Sendable {
    private struct State {
        /// Whether the request was sent with validators of the stored response.
        var isConditional = false
        /// When the request was sent.
        var requested = Duration.zero
        /// How many invalidations there were then; `nil` before.
        var invalidations: UInt64?
        var isBypass = false
        /// Why the request is sent, for `Cache-Status`.
        var forward = ""
    }

    let request: HTTPRequest
    let asked: CacheRequest
    let context: RequestContext
    let cache: HTTPCache
    let key: CacheKey
    private let state = Locked(State())

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
    private var now: Int64 { context.clock.unixTime.milliseconds }

    /// Whether validators were sent.
    var isConditional: Bool { state.withLock { $0.isConditional } }

    /// The mode of the call. A call that is repeated because its credential was rejected does not use stored responses.
    private var mode: CacheMode {
        switch context.attempt.reason {
        case .replay, .nonce, .stepUp: context.cache == .noStore ? .noStore : .reload
        default: context.cache
        }
    }

    // MARK: Looking up

    func lookUp() async -> CacheAnswer { answer(from: await storedHeads(key)) }

    /// The same without waiting; `nil` if the store may wait.
    @inline(never)
    func lookUpNow() -> CacheAnswer? { cache.memory.map { answer(from: $0.heads(for: key)) } }

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

    private func storedHeads(_ key: CacheKey) async -> [CachedHead] {
        guard cache.accepts(key) else { return [] }
        do { return try await cache.store.heads(for: key) } catch {
            failed(error)
            return []
        }
    }

    private func storedBody(_ head: CachedHead) async -> [UInt8]? {
        if asked.isHead { return [] }
        do {
            guard let body = try await cache.store.body(of: head.id, for: key) else { return nil }
            return body.count == head.bodyBytes ? body : nil
        } catch {
            failed(error)
            return nil
        }
    }

    func failed(_ error: CacheStoreError) {
        context.record(.cacheStoreFailed(error.code.name), at: request.origin)
    }

    // MARK: Using

    /// The response from a stored one; `nil` if its body is gone.
    func stored(_ use: StoredUse) async throws(NetworkError) -> HTTPResponse? {
        guard let body = await storedBody(use.head) else { return nil }
        return try stored(use, body)
    }

    /// The same without waiting; `nil` also if the store may wait.
    @inline(never)
    func storedNow(_ use: StoredUse) throws(NetworkError) -> HTTPResponse? {
        guard let memory = cache.memory, let body = memory.body(of: use.head.id, for: key) else { return nil }
        return try stored(use, body)
    }

    private func stored(_ use: StoredUse, _ body: [UInt8]) throws(NetworkError) -> HTTPResponse {
        let response = try response(
            use, body, isValidated: false, Exchange(origin: request.origin, attempts: 0),
            use.isFresh ? .cache : .staleCache)
        context.record(.cacheLookedUp(use.isFresh ? .hit : .stale), for: request)
        return policy.statusName == nil ? response : statused(response, "hit; ttl=\(-use.staleness / 1000)")
    }

    private func response(
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

    /// The error or the response of a call that wants nothing but a stored response (RFC 9111 §5.2.1.7).
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

    private func statused(_ response: HTTPResponse, _ status: String) -> HTTPResponse {
        guard let name = policy.statusName else { return response }
        var response = response
        response.fields.append("Cache-Status", "\(name); \(status)")
        return response
    }

    // MARK: Sending

    /// Begins the exchange.
    ///
    /// - Returns: the request to send, and the stored response that it validates or that may be used if it fails.
    func begin(_ answer: CacheAnswer) -> (HTTPRequest, StoredUse?) {
        let invalidations = cache.invalidations
        let requested = context.clock.unixTime
        state.withLock { state in
            state.requested = .milliseconds(requested.milliseconds)
            state.invalidations = invalidations
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

    private static func forward(_ answer: CacheAnswer) -> String {
        switch answer {
        case .validate(let use): use.isFresh ? "fwd=request" : "fwd=stale"
        case .miss(let use): use.map { $0.isFresh ? "fwd=request" : "fwd=stale" } ?? "fwd=miss"
        case .bypass: "fwd=bypass"
        default: "fwd=miss"
        }
    }

    /// The request as the caller made it, to be sent once more.
    func withoutValidators() -> HTTPRequest {
        state.withLock { $0.isConditional = false }
        return request
    }

    /// The stored response in place of an error; `nil` if it must not be used.
    func replacement(of error: NetworkError, _ use: StoredUse) async throws(NetworkError) -> HTTPResponse? {
        guard error.code.isTransient, !error.code.concernsCredential, error.code != .cancelled else {
            return nil
        }
        return try await replacement(use, attempts: error.attempts, status: nil)
    }

    /// The stored response in place of a server error; `nil` if it must not be used.
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

    // MARK: Storing

    /// The stored response that a 304 has validated; `nil` if the 304 is about another one, or the stored one is gone.
    func validated(_ response: HTTPResponse, _ use: StoredUse) async throws(NetworkError) -> HTTPResponse? {
        guard CacheStorage.isValidation(response.fields, of: use.head.fields),
            let body = await storedBody(use.head)
        else { return nil }
        let head = freshened(use.head, response)
        let fresh = StoredUse(head, cache.decision, now: now)
        // Does nothing if the response was invalidated meanwhile.
        await update(head, key)
        context.record(.cacheLookedUp(.revalidated), for: request)
        let made = try self.response(fresh, body, isValidated: true, response.exchange, .revalidated)
        return statused(made, "\(state.withLock { $0.forward }); fwd-status=304; stored")
    }

    private func freshened(_ head: CachedHead, _ response: HTTPResponse) -> CachedHead {
        let (requested, received) = times()
        let fields = CacheStorage.updated(head.fields, by: response.fields, received: received)
        let facts = ResponseFacts(status: head.status, fields: fields, received: received)
        return CachedHead(
            id: head.id, status: head.status, fields: fields, requested: requested, received: received,
            selecting: cache.decision.selection.selecting(facts, of: request.fields),
            bodyBytes: head.bodyBytes, isDecoded: head.isDecoded)
    }

    private func times() -> (requested: Duration, received: Duration) {
        let received = Duration.milliseconds(now)
        return (min(state.withLock { $0.requested }, received), received)
    }

    /// Stores a response, or prepares a stream to be stored when it has been read.
    func received(_ response: HTTPResponse) async -> HTTPResponse {
        guard !state.withLock({ $0.isBypass }) else { return statused(response, "fwd=bypass") }
        if response.status == 304 || asked.isHead {
            if response.status == 304 || response.status == 200 { await freshen(by: response) }
            return statused(response, forwarded(response, isStored: false))
        }
        guard let storing = storing(response) else {
            await removeReplaced(by: response)
            return statused(response, forwarded(response, isStored: false))
        }
        var answered = response
        switch response.body.storage {
        case .bytes(let body):
            guard body.count <= policy.largestEntryBytes else {
                await removeReplaced(by: response)
                return statused(response, forwarded(response, isStored: false))
            }
            await store(storing, body)
        case .stream:
            answered.body = response.body.stored(upToBytes: policy.largestEntryBytes) { [self] body in
                await store(storing, body)
            }
        }
        return statused(answered, forwarded(response, isStored: true))
    }

    private func forwarded(_ response: HTTPResponse, isStored: Bool) -> String {
        state.withLock { $0.forward } + "; fwd-status=\(response.status)" + (isStored ? "; stored" : "")
    }

    /// A response that is stored, as far as its head says.
    private struct Storing: Sendable {
        let key: CacheKey
        let status: Int
        let fields: HTTPFields
        let facts: ResponseFacts
        let requested: Duration
        let received: Duration
    }

    private func storing(_ response: HTTPResponse) -> Storing? {
        let (requested, received) = times()
        let fields = CacheStorage.storable(response.fields, received: received)
        let facts = ResponseFacts(status: response.status, fields: fields, received: received)
        let key = key(of: response)
        guard cache.accepts(key), isWritable(fields), case .fields = facts.selection,
            CacheStorage.isStorable(
                asked, status: response.status, fields: response.fields, facts: facts, mode: mode)
        else { return nil }
        return Storing(
            key: key, status: response.status, fields: fields, facts: facts, requested: requested,
            received: received)
    }

    private func store(_ new: Storing, _ body: [UInt8]) async {
        guard let count = state.withLock({ $0.invalidations }), !cache.isInvalidated(new.key, since: count)
        else { return }
        let head = CachedHead(
            id: CachedHead.ID(SystemRandomSource().next()), status: new.status, fields: new.fields,
            requested: new.requested, received: new.received,
            selecting: cache.decision.selection.selecting(new.facts, of: request.fields),
            bodyBytes: body.count,
            // Without a length that is known to be the body's, a coding may have been removed.
            isDecoded: new.fields[.contentLength] != String(body.count))
        do {
            let known = try await cache.store.heads(for: new.key)
            var replaced = known.filter { cache.decision.selection.selects($0, request.fields) }
            // A response that took long never replaces the one of a later request.
            guard !replaced.contains(where: { $0.requested > new.requested }) else { return }
            if known.count - replaced.count >= policy.mostVariants {
                let others = known.filter { other in !replaced.contains { $0.id == other.id } }
                if let oldest = others.min(by: { $0.received < $1.received }) { replaced.append(oldest) }
            }
            let evicted = try await cache.store.put(
                head, body: body, for: new.key, replacing: replaced.map(\.id))
            context.record(.cacheStored(bytes: body.count), for: request)
            if evicted > 0 { context.record(.cacheEvicted(evicted), at: request.origin) }
        } catch { failed(error) }
    }

    /// Removes the stored responses that a newer one replaces although it is not stored.
    private func removeReplaced(by response: HTTPResponse) async {
        switch response.status {
        case 206, 304: return
        case 200..<400, 404, 410: break
        default: return
        }
        let key = key(of: response)
        let heads = await storedHeads(key)
        guard heads.contains(where: { cache.decision.selection.selects($0, request.fields) }) else { return }
        await remove(key)
    }

    /// Updates or removes the stored responses that a 304 to the caller's own conditions, or a response to `HEAD`, is
    /// about.
    private func freshen(by response: HTTPResponse) async {
        let key = key(of: response)
        for head in await storedHeads(key) where cache.decision.selection.selects(head, request.fields) {
            if response.status == 304 {
                // Only a validator that both name tells that it is about this one.
                guard let tag = response.fields[.entityTag], tag == head.fields[.entityTag] else { continue }
            } else if !CacheStorage.isSameRepresentation(
                response.fields, as: head.fields, bodyBytes: head.bodyBytes)
            {
                await remove(key)
                return
            } else if head.status != 200 {
                continue
            }
            await update(freshened(head, response), key)
        }
    }

    /// Replaces the head of a stored response, or removes the response if it may not be stored any longer.
    private func update(_ head: CachedHead, _ key: CacheKey) async {
        guard !CacheStorage.isForbidden(head.facts.directives, status: head.status), isWritable(head.fields)
        else {
            return await remove(key)
        }
        do { try await cache.store.update(head, for: key) } catch { failed(error) }
    }

    /// Whether the store keeps fields byte by byte: a durable one writes text.
    private func isWritable(_ fields: HTTPFields) -> Bool {
        !cache.store.isDurable || fields.allSatisfy(\.isUTF8)
    }

    /// The key by the credential of the request that was answered: a login in a store has its account from then on.
    func key(of response: HTTPResponse) -> CacheKey {
        cache.key(of: request, response.exchange.stamp?.identity ?? context.credentials?.identity)
    }

    func remove(_ key: CacheKey) async {
        guard cache.accepts(key) else { return }
        do { try await cache.store.remove(key) } catch { failed(error) }
    }
}
