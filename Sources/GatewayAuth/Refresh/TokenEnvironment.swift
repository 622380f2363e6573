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
    let epochs = Epochs()
    let observers = TokenObservers()

    /// The same for slots whose tokens are kept nowhere else.
    var withoutStore: TokenEnvironment {
        var copy = self
        copy.store = nil
        return copy
    }

    /// Epochs are counted over all keys: a key that was forgotten and comes back never meets an old one again.
    final class Epochs: Sendable {
        private let last = Atomic<UInt64>(0)

        func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
    }
}
