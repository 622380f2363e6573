internal import GatewayAuth
internal import GatewayCore
internal import Synchronization

/// The coordinators of one credential, by site.
final class TokenKeeper: Sendable {
    private static let serials = Atomic<UInt64>(0)

    /// Distinguishes this credential from all others in this process.
    let name = TokenKey.processTenantPrefix + "\(serials.add(1, ordering: .relaxed).newValue)"
    private let coordinators = Locked<[String: TokenRefreshCoordinator]>([:])

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
