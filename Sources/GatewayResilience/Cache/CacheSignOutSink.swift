package import GatewayCore

/// Removes the stored responses of a login when it ends, and passes all events on. The cache retries failed
/// removals.
package final class CacheSignOutSink: EndedLoginRemoving {
    private weak let cache: HTTPCache?
    private let sink: (any RequestEventSink)?

    init(cache: HTTPCache, sink: (any RequestEventSink)?) {
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

    package var requestIDFields: [HTTPField.Name] { sink?.requestIDFields ?? [] }

    package func record(_ event: borrowing RequestEvent) { sink?.record(event) }

    package func record(_ event: borrowing StateEvent) { sink?.record(event) }

    package func record(_ event: borrowing TokenEvent) {
        if case .signedOut = event.kind { removeResponses(of: event.credential, at: event.instant) }
        if let sink, sink.interests.contains(.tokens) { sink.record(event) }
    }

    package func flush() async { await sink?.flush() }

    package var isDurable: Bool { cache?.store.isDurable ?? false }

    package func finishEndedLogins(of keeper: any EndedLoginKeeping) { cache?.finishEndedLogins(of: keeper) }

    package func removeResponses(of accounts: EndedAccounts, until deadline: Deadline?) async -> Bool {
        await cache?.removeResponses(of: accounts, until: deadline) ?? false
    }

    /// This process no longer uses them from now on; other processes once the store has made the first
    /// attempt.
    private func removeResponses(of identity: CredentialIdentity, at instant: ContinuousClock.Instant) {
        guard let cache, cache.notesEnd(of: identity, at: instant) else { return }
        let ended: [CacheChange] = identity.account.map { [.end(of: $0)] } ?? []
        let changes = ([.owner(.identity(identity))] + ended).map { cache.begin($0) }
        Task.detached { [cache] in
            for (change, number) in changes { _ = await cache.attempt(change, number) }
        }
    }
}
