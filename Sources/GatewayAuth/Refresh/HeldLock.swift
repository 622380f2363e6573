import GatewayCore

/// The store's lock that a flight holds, if it does. Whoever takes it out lets it go.
final class HeldLock: Sendable {
    private struct State {
        var lock: (any TokenStoreLock)?
        var isClosed = false
    }

    private let state = Locked(State())

    /// Puts a lock in.
    ///
    /// - Returns: `false` where the flight was given up meanwhile; the lock was not taken.
    func put(_ lock: any TokenStoreLock) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.lock = lock
            return true
        }
    }

    var isHeld: Bool { state.withLock { $0.lock }?.isHeld ?? false }

    /// See ``TokenStoreLock/prepare(until:)``.
    func prepare(until deadline: Deadline?) async throws(NetworkError) {
        guard let lock = state.withLock({ $0.lock }) else { throw .lockLost }
        try await lock.prepare(until: deadline)
        guard isHeld else { throw .lockLost }
    }

    /// Takes the lock out.
    ///
    /// - Parameter closing: whether none may be put in any more.
    func take(closing: Bool = false) -> (any TokenStoreLock)? {
        state.withLock { state in
            state.isClosed = state.isClosed || closing
            defer { state.lock = nil }
            return state.lock
        }
    }
}
