public import GatewayCore

/// Uses stored responses, and stores reusable ones (RFC 9111).
///
/// It is below redirects, so that each hop is looked up by its own URI, and above retries, so that a stored
/// response needs no attempt. Without a cache it only passes calls on.
public struct CacheEngine<Below: RequestEngine>: RequestEngine {
    let below: Below
    let cache: HTTPCache?

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes the calls.
    ///   - cache: the cache; `nil` for none.
    public init(below: Below, cache: HTTPCache?) {
        self.below = below
        self.cache = cache
    }

    /// The services of the engine below.
    public var services: EngineServices { below.services }

    /// Returns a stored response, or makes the call.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard let cache else { return try await below.send(request, context: context) }
        return try await send(request, context, cache)
    }

    /// Out of line, to keep the async frame of engines without a cache small.
    @inline(never)
    private func send(
        _ request: HTTPRequest, _ context: RequestContext, _ cache: HTTPCache
    ) async throws(NetworkError) -> HTTPResponse {
        var identity: CredentialIdentity?
        if let credentials = context.credentials {
            // Before the identity is read, so that no end of the login is missed.
            cache.follow(credentials)
            let known = credentials.identity
            identity = known
            if cache.memory == nil, known.account == nil, cache.store.isDurable {
                identity = await Self.identified(credentials, context, cache)
            }
        }
        let key = cache.key(of: request, identity)
        guard let asked = CacheRequest(request) else {
            return try await sendOther(request, context, cache, key)
        }
        let course = CacheCourse(request, asked, context, cache, key)
        var answer = CacheAnswer.bypass
        var body: [UInt8]?
        if let now = course.lookUpNow() { answer = now } else { (answer, body) = await course.lookUp() }
        switch answer {
        case .hit(let use):
            if let response = try course.stored(use, body: body) { return response }
        case .stale(let use):
            if let response = try course.stored(use, body: body) {
                course.validateInBackground(use)
                return response
            }
        case .validate, .miss, .unsatisfiable, .bypass: break
        }
        // Also if the stored response cannot answer the request, or was removed in the meantime.
        if asked.isStoredOnly(context.cache) { return try course.unsatisfied() }
        return try await exchange(course, answer)
    }

    /// The identity of the call's credential with its account. Before the first token of a process, only the
    /// token store knows the account; without it, a durable cache store returns nothing for the call.
    @inline(never)
    private static func identified(
        _ source: any CredentialSource, _ context: RequestContext, _ cache: HTTPCache
    ) async -> CredentialIdentity {
        let limit = context.deadline?.remaining(at: context.clock.time) ?? .seconds(60)
        let identity = await cache.patience.value(within: limit, cancelling: true, untilCancelled: true) {
            await source.identified()
        }
        return identity ?? source.identity
    }

    /// Makes the call.
    @inline(never)
    private func exchange(
        _ course: CacheCourse, _ answer: CacheAnswer
    ) async throws(NetworkError) -> HTTPResponse {
        let (request, use) = await course.begin(answer)
        let response: HTTPResponse
        do {
            response = try await below.send(request, context: course.context)
        } catch {
            if let use, let stored = try await course.replacement(of: error, use) { return stored }
            throw error
        }
        if let use, let stored = try await course.replacement(of: response, use) { return stored }
        guard course.isConditional, response.status == 304 else { return await course.received(response) }
        if let use, let validated = try await course.validated(response, use) { return validated }
        // The 304 is for another response, or the stored one was removed in the meantime.
        let again = course.withoutValidators()
        do {
            let sent = response.exchange.attempts
            var response = try await below.send(again, context: course.context)
            response.exchange.attempts = sent.addingClamped(response.exchange.attempts)
            return await course.received(response)
        } catch {
            throw error.with(
                attempts: response.exchange.attempts.addingClamped(error.attempts), mayHaveBeenSent: true)
        }
    }

    /// Makes a call with another method, whose response may invalidate stored ones (RFC 9111 §4.4).
    @inline(never)
    private func sendOther(
        _ request: HTTPRequest, _ context: RequestContext, _ cache: HTTPCache, _ key: CacheKey
    ) async throws(NetworkError) -> HTTPResponse {
        let response = try await below.send(request, context: context)
        guard CacheStorage.invalidates(request.method, status: response.status) else { return response }
        let course = CacheCourse(
            request, CacheRequest(isHead: false, fields: request.fields), context, cache, key)
        await course.invalidate(after: response)
        return response
    }
}

extension CacheEngine: Redacted {}
