import GatewayTesting
import Testing

@testable import GatewayAuth

extension TokenRefreshCoordinator {
    /// Returns when so many callers wait for the default key's token.
    func waitForWaiters(_ count: Int) async {
        let slot = slot(for: .default)
        await eventually { slot.waiterCount == count }
    }
}
