import GatewayCore
import Synchronization

/// The environment that all slots of a coordinator share.
struct TokenEnvironment: Sendable {
    let acquirer: any TokenAcquirer
    /// The acquirer's binding, read once.
    let binding: DPoPBinding?
    private(set) var store: (any TokenStore)?
    let policy: TokenRefreshPolicy
    let clock: any GatewayClock
    let random: any RandomSource
    let onEvent: (@Sendable (TokenEvent) -> Void)?
    let observers = EventOutlets()
    var census = LoginCensus.process

    /// Whether the store lists ended logins. It does so even if no cache of this process removes their responses,
    /// because another process may have stored some.
    var keepsEndedLogins: Bool { store?.isDurable == true }

    /// A copy for slots whose tokens are not stored.
    var withoutStore: TokenEnvironment {
        var copy = self
        copy.store = nil
        return copy
    }

    private static let lastEpoch = Atomic<UInt64>(0)

    /// Returns a new epoch. Epochs are unique in the process, over all keys and coordinators, so that two logins never
    /// have the same identity, even if they share connections, flights or a cache.
    static func nextEpoch() -> UInt64 { lastEpoch.add(1, ordering: .relaxed).newValue }
}
