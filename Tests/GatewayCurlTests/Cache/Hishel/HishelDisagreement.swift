import GatewayCore

@testable import GatewayResilience

/// Why ours and hishel 2.0.0 decide differently about an exchange, with the clause that requires or allows ours.
enum HishelDisagreement: String, CaseIterable {
    /// RFC 9111 §5.2.1.5: a response to a request with `no-store` must not be stored. hishel stores it.
    case noStoreOfTheFirstRequest
    /// RFC 9111 §5.2.1.5 allows to use a stored response for a request with `no-store`. Ours sends the request.
    case noStoreOfTheSecondRequest
    /// RFC 9111 §5.2.1.2: `max-stale` allows a stale response. hishel does not read it.
    case maxStale
    /// RFC 9111 §5.2.1.1 and §5.2.1.3: `max-age` and `min-fresh` of the request should be obeyed. hishel does not read them.
    case maxAgeOrMinFresh
    /// RFC 5861 §3: a stale response may be used while it is validated. hishel does not read `stale-while-revalidate`.
    case staleWhileRevalidate
    /// RFC 9111 §4.1 and §4.3.1: a response that the request does not select may be validated. Ours validates none: a 304
    /// could only be about the selected one.
    case variantThatIsNotSelected
    /// RFC 9111 §5.2.2.3: `must-understand` takes precedence over `no-store`, and forbids to store a status that is not
    /// understood. hishel does not read it.
    case mustUnderstand
    /// RFC 9111 §5.2.2.4: `no-cache` beside `no-cache="…"` is about the whole response. hishel takes the last one.
    case noCacheOfBothForms
    /// RFC 9111 §4.2.1: malformed and contradictory `max-age` should count as stale. hishel takes the last one, or none.
    case invalidMaxAge
    /// RFC 9111 §4.2.3: the age is the larger one of `Age` and the time since `Date`, and the time since then. hishel does not
    /// read `Age`, and counts from a `Date` in the future.
    case age
    /// RFC 9110 §6.6.1: a response without `Date` is as old as its receipt. hishel gives it no age at all.
    case missingDate
    /// RFC 9111 §4.2.2: heuristics must not be used for a status that is not heuristically cacheable, unless the response
    /// is `public`, and should use a fraction of the time from `Last-Modified` to `Date`. hishel uses them for each status,
    /// and counts to now.
    case heuristic

    static func kind(
        _ exchange: ExchangeCase, ours: String, theirs: String
    ) -> HishelDisagreement? {
        let first = CacheDirectives(exchange.fields(exchange.first))
        let second = CacheDirectives(exchange.fields(exchange.second))
        let reply = exchange.fields(exchange.reply)
        let facts = ResponseFacts(
            status: exchange.status, fields: reply, received: .seconds(exchange.now))
        if first.noStore { return ours == "sent" ? .noStoreOfTheFirstRequest : nil }
        if second.noStore { return ours == "sent" ? .noStoreOfTheSecondRequest : nil }
        if facts.directives.mustUnderstand, (theirs == "sent") != (ours == "sent"), ours != "stale",
            facts.directives.noStore || exchange.status == 299
        {
            return .mustUnderstand
        }
        if ours == "stale", facts.directives.staleWhileRevalidate != nil { return .staleWhileRevalidate }
        if ours == "hit", second.anyStale || second.maxStale != nil { return .maxStale }
        if theirs == "hit", second.maxAge != nil || second.minFresh != nil { return .maxAgeOrMinFresh }
        if theirs == "validated", ours == "sent" {
            let selection = RequestSelection()
            let selecting = selection.selecting(facts, of: exchange.fields(exchange.first))
            if case .none = facts.selection { return .variantThatIsNotSelected }
            return selecting == selection.selecting(facts, of: exchange.fields(exchange.second))
                ? nil : .variantThatIsNotSelected
        }
        if facts.directives.noCache, !facts.directives.noCacheFields.isEmpty, ours != "hit" {
            return .noCacheOfBothForms
        }
        if case .invalid? = facts.directives.maxAge { return .invalidMaxAge }
        if theirs == "hit", !reply.contains(.date) { return .missingDate }
        if theirs == "hit", facts.age > 0 || facts.date > exchange.now { return .age }
        if theirs == "hit", facts.freshness == nil, facts.lastModified != nil { return .heuristic }
        return nil
    }
}
