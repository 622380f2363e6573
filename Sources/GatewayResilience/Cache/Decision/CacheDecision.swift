import GatewayCore

/// The decision of a cache about a request. Pure: derived from the request, the stored heads and the time
/// (RFC 9111 §4, RFC 5861, RFC 8246).
enum CacheAnswer: Sendable {
    /// The stored response is used.
    case hit(StoredUse)
    /// The stored response is used, and validated in the background.
    case stale(StoredUse)
    /// The request is sent with the validators of the stored response.
    case validate(StoredUse)
    /// The request is sent. The selected stored response is replaced, and may be used if the request fails.
    case miss(StoredUse?)
    /// The caller accepts a stored response only, and there is none.
    case unsatisfiable
    /// The request is sent; stored responses are neither used nor changed.
    case bypass
}

/// A stored response at an instant.
struct StoredUse: Sendable {
    let head: CachedHead
    /// In milliseconds (RFC 9111 §4.2.3).
    let age: Int64
    /// In milliseconds (RFC 9111 §4.2.1).
    let lifetime: Int64

    var isFresh: Bool { lifetime > age }
    /// In milliseconds; negative while the response is fresh.
    var staleness: Int64 { age - lifetime }
    /// The value of `Age`.
    var ageSeconds: Int64 { age / 1000 }

    /// Whether the response must not be used without validation, or when it is stale (RFC 9111 §5.2.2.2, §5.2.2.4).
    var forbidsStale: Bool { head.facts.directives.mustRevalidate || head.facts.directives.noCache }

    init(_ head: CachedHead, _ decision: CacheDecision, now: Int64) {
        let facts = head.facts
        let (requested, received) = (head.requested.milliseconds, head.received.milliseconds)
        let apparent = max(0, received / 1000 - facts.date) * 1000
        let corrected = facts.age * 1000 + max(0, received - requested)
        let initial = max(apparent, corrected)
        self.head = head
        age = initial + max(0, now - received)
        // If the wall clock was set back, the age is unknown, and the response is treated as stale.
        lifetime = now < received ? -CacheDirectives.longest * 1000 : Self.lifetime(head, decision)
    }

    private static func lifetime(_ head: CachedHead, _ decision: CacheDecision) -> Int64 {
        let facts = head.facts
        if let explicit = facts.freshness { return explicit * 1000 }
        if let negative = decision.policy.negative, CacheStorage.isNegative(head.status) {
            return negative.milliseconds
        }
        guard let modified = facts.lastModified, modified < facts.date,
            facts.directives.isPublic || CacheStorage.isHeuristicallyCacheable(head.status)
        else { return 0 }
        let share = Duration.seconds(facts.date - modified).scaled(by: decision.policy.heuristicFraction)
        return min(share, decision.policy.longestHeuristic).milliseconds
    }

    /// Whether the response may replace an error (RFC 5861 §4).
    func mayReplaceError(_ request: CacheRequest, mode: CacheMode, policy: CachePolicy) -> Bool {
        guard !forbidsStale, !request.directives.noCache, !request.hasRange, !request.isConditional else {
            return false
        }
        switch mode {
        case .networkFirst, .forceCache: return true
        case .standard: break
        default: return false
        }
        let limit =
            request.directives.staleIfError?.valid.map { $0 * 1000 }
            ?? head.facts.directives.staleIfError.map { $0.orZero * 1000 }
            ?? policy.staleIfError?.milliseconds
        return limit.map { staleness <= $0 } ?? false
    }

    /// The fields that make a request conditional (RFC 9111 §4.3.1); empty without a validator.
    var validators: HTTPFields {
        var fields = HTTPFields()
        if let tag = head.fields[.entityTag] { fields.append(.ifNoneMatch, tag) }
        if head.facts.lastModified != nil, let modified = head.fields[.lastModified] {
            fields.append(.ifModifiedSince, modified)
        }
        return fields
    }
}

/// Decides about requests according to a policy.
final class CacheDecision: Sendable {
    let policy: CachePolicy
    let selection: RequestSelection

    init(policy: CachePolicy) {
        self.policy = policy
        selection = RequestSelection(additional: policy.credentialFields)
    }

    /// Returns the decision.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - heads: the stored responses of its key.
    ///   - mode: the mode of the call.
    ///   - budget: how long a stale response may be used while it is validated.
    ///   - now: the wall clock, in milliseconds.
    func decide(
        _ request: CacheRequest, heads: [CachedHead], mode: CacheMode, budget: Duration?, now: Int64
    ) -> CacheAnswer {
        let directives = request.directives
        let isStoredOnly = request.isStoredOnly(mode)
        if !isStoredOnly, mode == .noStore || directives.noStore { return .bypass }
        // The most recent response that the request selects (RFC 9111 §4.1).
        var newest: CachedHead?
        for head in heads where selection.selects(head, request.fields) {
            if let known = newest, (known.facts.date, known.received) > (head.facts.date, head.received) {
                continue
            }
            newest = head
        }
        guard let chosen = newest else { return isStoredOnly ? .unsatisfiable : .miss(nil) }
        let use = StoredUse(chosen, self, now: now)
        switch mode {
        case .reload: return .miss(use)
        case .networkFirst:
            return isStoredOnly ? answer(use, request, mode, budget, true) : sent(use, request)
        default: return answer(use, request, mode, budget, isStoredOnly)
        }
    }

    private func answer(
        _ use: StoredUse, _ request: CacheRequest, _ mode: CacheMode, _ budget: Duration?,
        _ isStoredOnly: Bool
    ) -> CacheAnswer {
        let directives = request.directives
        // RFC 8246 §2: reloading does not validate a fresh immutable response.
        let isImmutable = use.isFresh && use.head.facts.directives.immutable
        if !use.head.facts.directives.noCache, !directives.noCache, !request.hasPragma {
            if use.isFresh, isImmutable || mode != .noCache && isAcceptable(use, directives) {
                return .hit(use)
            }
            if isUsableStale(use, directives, mode) { return .hit(use) }
            if !isStoredOnly, mode == .standard, !use.isFresh, !use.head.facts.directives.mustRevalidate,
                isAcceptable(use, directives)
            {
                let own = use.head.facts.directives.staleWhileRevalidate
                let limit = own.map { $0.orZero * 1000 } ?? budget?.milliseconds
                if let limit, use.staleness <= limit { return .stale(use) }
            }
        }
        return isStoredOnly ? .unsatisfiable : sent(use, request)
    }

    /// The request is sent, with validators unless the caller has set conditions or a range.
    private func sent(_ use: StoredUse, _ request: CacheRequest) -> CacheAnswer {
        let validates = !request.isConditional && !request.hasRange && !request.isHead
        return validates && !use.validators.isEmpty ? .validate(use) : .miss(use)
    }

    /// Whether the request's `max-age` and `min-fresh` allow the age.
    private func isAcceptable(_ use: StoredUse, _ directives: CacheDirectives) -> Bool {
        if let maxAge = directives.maxAge {
            guard maxAge.orZero > 0, use.age <= maxAge.orZero * 1000 else { return false }
        }
        if let minFresh = directives.minFresh {
            guard let seconds = minFresh.valid, use.lifetime - use.age >= seconds * 1000 else { return false }
        }
        return true
    }

    /// Whether the caller accepts the response although it is stale or older than `max-age` (RFC 9111 §4.2.4, §5.2.1.2).
    private func isUsableStale(
        _ use: StoredUse, _ directives: CacheDirectives, _ mode: CacheMode
    ) -> Bool {
        // A fresh response needs no permission from the server.
        if !use.isFresh, use.head.facts.directives.mustRevalidate { return false }
        if mode == .forceCache || mode == .onlyIfCached { return true }
        guard mode == .standard, directives.minFresh == nil, directives.anyStale || directives.maxStale != nil
        else { return false }
        if directives.anyStale { return true }
        let lifetime = min(use.lifetime, directives.maxAge.map { $0.orZero * 1000 } ?? use.lifetime)
        return directives.maxStale?.valid.map { use.age - lifetime <= $0 * 1000 } ?? false
    }
}

extension Duration {
    /// The duration in whole milliseconds, clamped.
    var milliseconds: Int64 {
        let parts = bounded.components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
