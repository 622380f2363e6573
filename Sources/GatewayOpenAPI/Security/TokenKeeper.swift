internal import GatewayAuth
internal import GatewayCore
internal import Synchronization

/// The coordinators of one credential, by site.
final class TokenKeeper: Sendable {
    /// A scheme of a document that the credential is for.
    struct Home: Sendable {
        /// The name of the scheme.
        let scheme: String
        let tokens: DocumentedTokens
        /// The base of relative URLs.
        let server: Origin?
    }

    private static let serials = Atomic<UInt64>(0)

    /// Distinguishes this credential from all others in this process.
    let name = TokenKey.processTenantPrefix + "\(serials.add(1, ordering: .relaxed).newValue)"
    private let coordinators = Locked<[String: TokenRefreshCoordinator]>([:])
    private let firstHome = Locked<Home?>(nil)

    /// The scheme of the first client with the credential, for calls without a document; `nil` if there is none yet.
    var home: Home? { firstHome.withLock { $0 } }

    /// Records the scheme of a client. The first one with scopes is kept.
    func settle(_ home: Home) {
        guard home.tokens.hasScopes else { return }
        firstHome.withLock { $0 = $0 ?? home }
    }

    /// The coordinator of a site. It is created at the first call.
    func coordinator(
        _ place: String, _ options: TokenOptions, _ acquirer: () -> any TokenAcquirer
    ) -> TokenRefreshCoordinator {
        if let known = coordinators.withLock({ $0[place] }) { return known }
        let new = TokenRefreshCoordinator(
            acquirer: acquirer(), store: options.store, policy: options.policy, onEvent: options.onEvent,
            account: { _ in options.account })
        return coordinators.withLock { coordinators in
            if let known = coordinators[place] { return known }
            coordinators[place] = new
            return new
        }
    }
}
