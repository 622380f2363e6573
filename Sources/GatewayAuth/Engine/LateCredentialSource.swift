package import GatewayCore
import Synchronization

/// The credential of a key that is settled at its first use. Why: a credential without scopes has those of the first client
/// that is created with it, which may be after the engine.
final class LateCredentialSource: CredentialSource {
    private let coordinator: TokenRefreshCoordinator
    private let make: @Sendable () -> KeyCredentialSource
    private let made = AtomicLazyReference<KeyCredentialSource>()

    init(_ coordinator: TokenRefreshCoordinator, _ make: @escaping @Sendable () -> KeyCredentialSource) {
        self.coordinator = coordinator
        self.make = make
    }

    /// The credential, whose key is settled from now on.
    var settled: KeyCredentialSource { made.load() ?? made.storeIfNil(make()) }

    var identity: CredentialIdentity { settled.identity }
    func identified() async -> CredentialIdentity { await settled.identified() }
    func pinned() -> any CredentialSource { settled.pinned() }

    func isReady(atLeast generation: UInt64) -> Bool { settled.isReady(atLeast: generation) }

    func hasExpired(atLeast generation: UInt64) -> Bool { settled.hasExpired(atLeast: generation) }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        try await settled.ready(atLeast: generation, deadline: deadline)
    }

    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        try await settled.ready(atLeast: generation, for: call)
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try settled.stamp(&request, atLeast: generation)
    }

    func stampIfReady(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try settled.stampIfReady(&request, atLeast: generation)
    }

    func note(_ response: HTTPResponse, to request: HTTPRequest) { settled.note(response, to: request) }

    func reject(_ generation: UInt64, renewing: Bool) { settled.reject(generation, renewing: renewing) }
}

extension LateCredentialSource: EventReporting {
    func report(to outlet: EventOutlet) { coordinator.report(to: outlet) }
}

extension TokenRefreshCoordinator {
    /// A credential whose key is not settled yet.
    struct Late {
        weak var source: LateCredentialSource?
    }

    /// The credential of a key that is asked for at its first use, or by a warm-up.
    ///
    /// - Parameters:
    ///   - key: returns the key; called without a lock, and normally once.
    ///   - origins: the origins that may receive the token.
    ///   - stepUpScopes: the scopes that an origin may require with a 403.
    ///   - rejectionStatuses: the statuses besides 401 that reject the token.
    ///   - plainHTTP: the hosts that may receive the token over plain HTTP.
    package func credentials(
        asking key: @escaping @Sendable () -> TokenKey, origins: Set<Origin>, stepUpScopes: Set<String> = [],
        rejectionStatuses: Set<Int>, plainHTTP: PlainHTTPHosts
    ) -> any CredentialSource {
        let source = LateCredentialSource(self) { [self] in
            let slot = slot(for: key(), pinned: true)
            let stepUp = stepUpScopes.isEmpty ? nil : StepUp(base: slot, allowed: stepUpScopes)
            return KeyCredentialSource(
                slot: slot,
                reach: CredentialReach(
                    origins: origins, plainHTTP: plainHTTP, stepUp: stepUp,
                    rejectionStatuses: rejectionStatuses))
        }
        late.withLock { late in
            late.removeAll { $0.source == nil }
            late.append(Late(source: source))
        }
        return source
    }

    /// Settles the keys of all credentials.
    func settleLate() {
        let sources = late.withLock { late in
            defer { late = [] }
            return late.compactMap(\.source)
        }
        for source in sources { _ = source.settled }
    }
}
