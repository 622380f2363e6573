import GatewayAuth
import GatewayCore

/// A lock in Redis, or the attempts at one. While it is held it is renewed; when it is let go, by release or by being
/// forgotten, only its own entry is removed.
final class RedisLock: Sendable {
    private struct State {
        /// Until when nobody else can have it: the lifetime counts from before the command, so that it ends here
        /// before it ends there.
        var heldUntil: ContinuousClock.Instant?
        /// Until when it lasts at least, though nobody renews it.
        var lease: ContinuousClock.Instant?
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

        /// How long it is to last from now on.
        func term(at now: ContinuousClock.Instant) -> Duration {
            max(lifetime, state.withLock { $0.lease }.map { now.duration(to: $0) } ?? .zero)
        }

        func arguments(_ term: Duration) -> [[UInt8]] {
            // A day is more than any exchange takes, and overflows nothing.
            let milliseconds = max(min(term, .seconds(86_400)).wholeMilliseconds, 1)
            return [owner, Array(String(milliseconds).utf8)]
        }

        /// Makes it last for its term from now on, if it is still there.
        ///
        /// - Returns: whether it is.
        func prolong(over connection: RedisConnection) throws(NetworkError) -> Bool {
            let now = clock.now
            let term = term(at: now)
            let reply = try connection.evaluate(RedisScripts.renew, key: place, arguments(term))
            let isMine = reply == .integer(1)
            state.withLock { state in
                if state.heldUntil != nil { state.heldUntil = isMine ? now + term : nil }
            }
            return isMine
        }

        /// Renews for as long as it is held: three times in each lifetime, more often after a failure. It is done on the
        /// connection's own thread, so that a pool whose threads are all busy costs no lock.
        func renewLater(after pause: Duration) {
            server.later(after: pause) { [weak self] connection in self?.renew(over: connection) }
        }

        /// Releases what could not be released, for as long as the server may keep it.
        func releaseLater(until end: ContinuousClock.Instant) {
            server.later(after: lifetime / 10) { [self] connection in
                guard clock.now < end else { return }
                do throws(NetworkError) {
                    _ = try connection.evaluate(RedisScripts.release, key: place, [owner])
                } catch {
                    releaseLater(until: end)
                }
            }
        }

        private func renew(over connection: RedisConnection) {
            let now = clock.now
            guard let end = state.withLock({ $0.heldUntil }), now < end else { return }
            do throws(NetworkError) {
                if try prolong(over: connection) { renewLater(after: lifetime / 3) }
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
        let reply = try await core.server.evaluate(
            RedisScripts.lock, core.place, core.arguments(core.lifetime))
        core.state.withLock { $0.wasAttempted = false }
        guard reply == .integer(1) else { return false }
        core.state.withLock { $0.heldUntil = now + core.lifetime }
        core.renewLater(after: core.lifetime / 3)
        return true
    }

    /// Has the server keep it for its lifetime from now on, or until a deadline that is later. The renewals keep it no
    /// shorter.
    ///
    /// - Throws: `tokenStoreFailed` where the server no longer has it.
    func extend(until deadline: Deadline?) async throws(NetworkError) {
        guard isHeld else { throw .lockLost }
        let core = core
        if let deadline { core.state.withLock { $0.lease = deadline.instant } }
        let reply = try await core.server.run { connection throws(NetworkError) in
            try core.prolong(over: connection) ? .integer(1) : .integer(0)
        }
        guard reply == .integer(1), isHeld else { throw .lockLost }
    }

    func release() async {
        let lease = core.state.withLock { $0.lease }
        guard end() else { return }
        do throws(NetworkError) {
            _ = try await core.server.evaluate(RedisScripts.release, core.place, [core.owner])
        } catch {
            // What was extended would keep others waiting for long.
            if let lease { core.releaseLater(until: lease) }
        }
    }

    /// - Returns: whether the server may hold an entry.
    private func end() -> Bool {
        core.state.withLock { state in
            defer { state = State() }
            return state.heldUntil != nil || state.wasAttempted
        }
    }
}
