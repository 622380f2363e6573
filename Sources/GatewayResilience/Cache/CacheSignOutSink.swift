package import GatewayCore

/// Removes the stored responses of a login when it ends, and passes all events on.
package final class CacheSignOutSink: RequestEventSink {
    private let cache: HTTPCache
    private let sink: (any RequestEventSink)?

    private init(cache: HTTPCache, sink: (any RequestEventSink)?) {
        self.cache = cache
        self.sink = sink
    }

    /// The sink of an engine with a cache; without a cache the sink itself.
    package static func sink(
        _ sink: (any RequestEventSink)?, removingFrom cache: HTTPCache?
    ) -> (any RequestEventSink)? {
        guard let cache else { return sink }
        return CacheSignOutSink(cache: cache, sink: sink)
    }

    package var interests: EventInterests { (sink?.interests ?? []).union(.tokens) }

    package func record(_ event: borrowing RequestEvent) { sink?.record(event) }

    package func record(_ event: borrowing StateEvent) { sink?.record(event) }

    package func record(_ event: borrowing TokenEvent) {
        if case .signedOut = event.kind { removeResponses(of: event.credential, at: event.instant) }
        if let sink, sink.interests.contains(.tokens) { sink.record(event) }
    }

    /// The responses are of no use to anybody until they are removed: the login has ended.
    private func removeResponses(of identity: CredentialIdentity, at instant: ContinuousClock.Instant) {
        let owners =
            [.identity(identity)] + (identity.account.map { [CachePartition.Owner.account($0)] } ?? [])
        Task.detached { [cache, sink] in
            for owner in owners {
                do throws(CacheStoreError) { try await cache.removeAll(of: owner) } catch {
                    guard let sink, sink.interests.contains(.state) else { continue }
                    let kind = StateEvent.Kind.cacheStoreFailed(error.code.name)
                    sink.record(StateEvent(instant: instant, origin: nil, kind: kind))
                }
            }
        }
    }
}
