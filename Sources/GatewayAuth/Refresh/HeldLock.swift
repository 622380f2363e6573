import GatewayCore

/// The store's lock of a flight, if it holds one. The caller of ``take(closing:)`` must release the lock.
final class HeldLock: Sendable {
    private struct State {
        var lock: (any TokenStoreLock)?
        var isClosed = false
    }

    private let state = Locked(State())

    /// Hands over a lock.
    ///
    /// - Returns: `false` if the flight was abandoned in the meantime; then the caller still owns the lock.
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

    /// Removes and returns the lock.
    ///
    /// - Parameter closing: whether later locks are refused.
    func take(closing: Bool = false) -> (any TokenStoreLock)? {
        state.withLock { state in
            state.isClosed = state.isClosed || closing
            defer { state.lock = nil }
            return state.lock
        }
    }
}
