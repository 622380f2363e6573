package import GatewayCore

/// Removes the stored responses of a login when it ends, and passes all events on. The cache retries failed
/// removals.
package final class CacheSignOutSink: EndedLoginRemoving, ForwardingEventSink {
    private weak let cache: HTTPCache?
    package let receiver: (any RequestEventSink)?
    package var withoutReceiver: any RequestEventSink { CacheSignOutSink(cache: cache, sink: nil) }

    init(cache: HTTPCache?, sink: (any RequestEventSink)?) {
        self.cache = cache
        receiver = sink
    }

    /// The sink of an engine with a cache; without a cache the sink itself.
    package static func sink(
        _ sink: (any RequestEventSink)?, removingFrom cache: HTTPCache?
    ) -> (any RequestEventSink)? {
        guard let cache else { return sink }
        return CacheSignOutSink(cache: cache, sink: sink)
    }

    package var interests: EventInterests { (receiver?.interests ?? []).union(.tokens) }

    package var requestIDFields: [HTTPField.Name] { receiver?.requestIDFields ?? [] }

    package func record(_ event: borrowing RequestEvent) { receiver?.record(event) }

    package func record(_ event: borrowing StateEvent) { receiver?.record(event) }

    package func record(_ event: borrowing TokenEvent) {
        if case .signedOut = event.kind { removeResponses(of: event.credential, at: event.instant) }
        if let receiver, receiver.interests.contains(.tokens) { receiver.record(event) }
    }

    package func flush() async { await receiver?.flush() }

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
