import GatewayAuth
import GatewayCore

/// A lock in Redis, or the attempts at one. While it is held it is renewed; when it is let go, by release or by being
/// forgotten, only its own entry is removed.
final class RedisLock: TokenStoreLock {
    private struct State {
        /// Until when nobody else can have it: the lifetime counts from before the command, so that it ends here
        /// before it ends there.
        var heldUntil: ContinuousClock.Instant?
        var wasAttempted = false
    }

    /// What renews, so that renewing does not hold the lock.
    private final class Core: Sendable {
        let place: String
        let owner: [UInt8]
        let lifetime: Duration
        let server: RedisServer
        let clock: any GatewayClock
        let state = Locked(State())

        init(
            place: String, owner: String, lifetime: Duration, server: RedisServer, clock: any GatewayClock
        ) {
            self.place = place
            self.owner = Array(owner.utf8)
            self.lifetime = min(max(lifetime, .milliseconds(1)), .seconds(86_400))
            self.server = server
            self.clock = clock
        }

        var arguments: [[UInt8]] {
            let (seconds, attoseconds) = lifetime.components
            return [owner, Array(String(seconds * 1000 + attoseconds / 1_000_000_000_000_000).utf8)]
        }

        /// Renews for as long as it is held: three times in each lifetime, more often after a failure. It is done on the
        /// connection's own thread, so that a pool whose threads are all busy costs no lock.
        func renewLater(after pause: Duration) {
            server.later(after: pause) { [weak self] connection in self?.renew(over: connection) }
        }

        private func renew(over connection: RedisConnection) {
            let now = clock.now
            guard let end = state.withLock({ $0.heldUntil }), now < end else { return }
            do throws(NetworkError) {
                let reply = try connection.evaluate(RedisScripts.renew, key: place, arguments)
                let isMine = reply == .integer(1)
                state.withLock { state in
                    if state.heldUntil != nil { state.heldUntil = isMine ? now + lifetime : nil }
                }
                if isMine { renewLater(after: lifetime / 3) }
            } catch {
                renewLater(after: lifetime / 10)
            }
        }
    }

    private let core: Core

    init(place: String, owner: String, lifetime: Duration, server: RedisServer, clock: any GatewayClock) {
        core = Core(place: place, owner: owner, lifetime: lifetime, server: server, clock: clock)
    }

    deinit {
        if end() { core.server.post(RedisScripts.release, core.place, [core.owner]) }
    }

    var isHeld: Bool {
        let now = core.clock.now
        return core.state.withLock { $0.heldUntil.map { now < $0 } ?? false }
    }

    /// Tries to take it, without waiting for others.
    func attempt() async throws(NetworkError) -> Bool {
        let now = core.clock.now
        core.state.withLock { $0.wasAttempted = true }
        let reply = try await core.server.evaluate(RedisScripts.lock, core.place, core.arguments)
        core.state.withLock { $0.wasAttempted = false }
        guard reply == .integer(1) else { return false }
        core.state.withLock { $0.heldUntil = now + core.lifetime }
        core.renewLater(after: core.lifetime / 3)
        return true
    }

    func release() async {
        guard end() else { return }
        _ = try? await core.server.evaluate(RedisScripts.release, core.place, [core.owner])
    }

    /// - Returns: whether the server may hold an entry.
    private func end() -> Bool {
        core.state.withLock { state in
            defer { state = State() }
            return state.heldUntil != nil || state.wasAttempted
        }
    }
}
