import GatewayCore

// Storing responses, and updating stored ones.
extension CacheCourse {
    /// The stored response after a 304; `nil` if the 304 is for another response, or the stored one was
    /// removed.
    func validated(_ response: HTTPResponse, _ use: StoredUse) async throws(NetworkError) -> HTTPResponse? {
        guard CacheStorage.isValidation(response.fields, of: use.head.fields),
            let body = await storedBody(use.head)
        else { return nil }
        let head = freshened(use.head, response)
        let fresh = StoredUse(head, cache.decision, now: now)
        // Has no effect if the response was invalidated in the meantime.
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

    /// Stores a response, or prepares a stream that is stored once it has been read.
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

    /// The values of a new stored response that are known from its head.
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
        guard let generation = state.withLock({ $0.generation }), !cache.isUnconfirmed(new.key)
        else { return }
        let head = CachedHead(
            id: CachedHead.ID(SystemRandomSource().next()), status: new.status, fields: new.fields,
            requested: new.requested, received: new.received,
            selecting: cache.decision.selection.selecting(new.facts, of: request.fields),
            bodyBytes: body.count,
            // If the length is unknown or differs, a content coding may have been removed.
            isDecoded: new.fields[.contentLength] != String(body.count))
        let key = new.key
        let known = await ask { (store) async throws(CacheStoreError) -> [CachedHead] in
            try await store.heads(for: key)
        }
        guard let known else { return }
        var replaced = known.filter { cache.decision.selection.selects($0, request.fields) }
        // A slow response never replaces the response to a later request.
        guard !replaced.contains(where: { isLater($0, than: new.requested) }) else { return }
        if known.count - replaced.count >= policy.mostVariants {
            let others = known.filter { other in !replaced.contains { $0.id == other.id } }
            if let oldest = others.min(by: { $0.received < $1.received }) { replaced.append(oldest) }
        }
        let ids = replaced.map(\.id)
        // The store decides: it may have been changed at any time since the request was sent.
        let evicted = await ask { (store) async throws(CacheStoreError) -> Int? in
            try await store.put(head, body: body, for: key, replacing: ids, since: generation)
        }
        guard let evicted = evicted.flatMap({ $0 }) else { return }
        context.record(.cacheStored(bytes: body.count), for: request)
        if evicted > 0 { context.record(.cacheEvicted(evicted), at: request.origin) }
    }

    /// Whether a stored response belongs to a later request. One with a time in the future was stored before
    /// the wall clock was set back.
    private func isLater(_ head: CachedHead, than requested: Duration) -> Bool {
        head.requested > requested && head.requested.milliseconds <= now
    }

    /// Removes the stored responses that a newer response supersedes although it is not stored.
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

    /// Updates or removes the stored responses to which a 304 for the caller's own conditions, or a response
    /// to `HEAD`, applies.
    private func freshen(by response: HTTPResponse) async {
        let key = key(of: response)
        let (requested, _) = times()
        for head in await storedHeads(key) where cache.decision.selection.selects(head, request.fields) {
            // A slow response does not change the response to a later request.
            guard !isLater(head, than: requested) else { continue }
            if response.status == 304 {
                // Only equal strong validators identify this response.
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

    /// Replaces the head of a stored response, or removes the response if it may no longer be stored.
    private func update(_ head: CachedHead, _ key: CacheKey) async {
        guard !CacheStorage.isForbidden(head.facts.directives, status: head.status), isWritable(head.fields)
        else {
            return await remove(key)
        }
        _ = await ask { (store) async throws(CacheStoreError) -> Void in
            try await store.update(head, for: key)
        }
    }

    /// Whether the store preserves fields exactly: a durable one stores text, and no credentials.
    private func isWritable(_ fields: HTTPFields) -> Bool {
        !cache.store.isDurable || fields.allSatisfy { $0.isUTF8 && !$0.name.namesCredential }
    }

    /// The key by the credential of the answered request: the account of a login in a store may have become
    /// known during the call.
    func key(of response: HTTPResponse) -> CacheKey {
        cache.key(of: request, response.exchange.stamp?.identity ?? context.credentials?.identity)
    }

    func remove(_ key: CacheKey) async {
        guard cache.accepts(key) else { return }
        await change(.key(key))
    }
}
