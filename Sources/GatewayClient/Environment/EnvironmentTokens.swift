import GatewayAuth
import GatewayCore

/// The coordinator of the tokens that the variables describe. All configurations and credentials of an environment share
/// it, so that each token is requested once.
final class EnvironmentTokens: Sendable {
    private let make: @Sendable () -> TokenRefreshCoordinator
    private let made = Locked<TokenRefreshCoordinator?>(nil)

    init(_ make: @escaping @Sendable () -> TokenRefreshCoordinator) { self.make = make }

    /// The coordinator, which is created at the first use.
    var coordinator: TokenRefreshCoordinator {
        made.withLock { made in
            let coordinator = made ?? make()
            made = coordinator
            return coordinator
        }
    }
}
