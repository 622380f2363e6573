import GatewayCore
import Synchronization

/// What all slots of a coordinator share.
struct TokenEnvironment: Sendable {
    let acquirer: any TokenAcquirer
    /// The acquirer's, asked for once.
    let binding: DPoPBinding?
    private(set) var store: (any TokenStore)?
    let policy: TokenRefreshPolicy
    let clock: any GatewayClock
    let random: any RandomSource
    let onEvent: (@Sendable (TokenEvent) -> Void)?
    let observers = EventOutlets()

    /// The same for slots whose tokens are kept nowhere else.
    var withoutStore: TokenEnvironment {
        var copy = self
        copy.store = nil
        return copy
    }

    private static let lastEpoch = Atomic<UInt64>(0)

    /// A new epoch. They are counted over all keys and coordinators of the process: a login that shares connections, flights or
    /// a cache with another login never has the other's identity, and neither has the login that comes after it.
    static func nextEpoch() -> UInt64 { lastEpoch.add(1, ordering: .relaxed).newValue }
}
