import GatewayAuth
import GatewayCore

/// The coordinator of the tokens that the variables describe. All configurations and credentials of an environment share
/// it, so that each token is requested once.
final class EnvironmentTokens: Sendable {
    private let make: @Sendable () -> TokenRefreshCoordinator
    private let current = Locked<TokenRefreshCoordinator?>(nil)

    init(_ make: @escaping @Sendable () -> TokenRefreshCoordinator) { self.make = make }

    /// The coordinator, which is created at the first use.
    var coordinator: TokenRefreshCoordinator {
        current.withLock { current in
            let coordinator = current ?? make()
            current = coordinator
            return coordinator
        }
    }

    /// Makes later uses read the store again, which another party has changed. Engines keep their coordinator.
    func readStoreAgain() { current.withLock { $0 = nil } }
}
