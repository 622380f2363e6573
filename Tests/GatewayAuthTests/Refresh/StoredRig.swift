import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Processes that share a store, on one clock; each coordinator stands for a process.
struct StoredRig {
    let clock = ManualClock()
    let shared: MemoryTokenStore
    let store: TroubledTokenStore
    let server: RotatingServer
    let events = Events()

    /// The kinds of all processes' events.
    final class Events: Sendable {
        let kinds = Locked<[String]>([])
    }

    init() {
        shared = MemoryTokenStore(clock: clock)
        store = TroubledTokenStore(shared)
        server = RotatingServer()
    }

    func start(_ store: (any TokenStore)? = nil, clock: ManualClock? = nil) -> TokenRefreshCoordinator {
        let events = events
        return TokenRefreshCoordinator(
            acquirer: server, store: store ?? self.store, policy: .impatient, clock: clock ?? self.clock,
            random: SeededRandomSource(seed: UInt64(events.kinds.withLock { $0.count }) + 3)
        ) { event in
            let kind = String("\(event.kind)".prefix { $0 != "(" })
            events.kinds.withLock { $0.append(kind) }
        }
    }

    func happened(_ kind: String) -> Int { events.kinds.withLock { $0.count { $0 == kind } } }

    /// Returns when so many pauses between attempts to store have begun. Other sleeps are longer.
    func pauses(_ count: Int) async {
        await eventually { clock.requestedDelays.count { $0 <= .seconds(10) } >= count }
    }

    func secret(_ lease: TokenLease) -> String { lease.accessToken.exposed }

    func code(_ body: () async throws(NetworkError) -> TokenLease) async -> NetworkError.Code? {
        await outcome(body).code
    }
}
