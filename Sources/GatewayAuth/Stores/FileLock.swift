import GatewayCore
private import GatewayLibC

/// A file for a `flock(2)` lock. The kernel releases the lock when the descriptor is closed, including at the end of
/// the process.
final class FileLock: Sendable {
    private struct State {
        var descriptor: Int32?
        var isHeld = false
    }

    private let state: Locked<State>
    private let path: String

    /// Takes ownership of a descriptor.
    ///
    /// - Parameter path: the path of the opened file.
    init(_ descriptor: Int32, path: String) {
        state = Locked(State(descriptor: descriptor))
        self.path = path
    }

    deinit { end() }

    /// Whether it is locked, and its path still names it: if the file or its directory was replaced, other processes
    /// lock another file. It takes two system calls, without I/O on a local file system.
    var isHeld: Bool {
        state.withLock { state in
            guard state.isHeld, let descriptor = state.descriptor else { return false }
            return FileIdentity(of: descriptor).map { $0 == FileIdentity(path: path) } ?? false
        }
    }

    /// Tries to lock, without waiting.
    func attempt() throws(NetworkError) -> Bool {
        let failure = state.withLock { state -> Int32? in
            guard let descriptor = state.descriptor else { return EBADF }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                if errno != EINTR { return errno }
            }
            state.isHeld = true
            return nil
        }
        switch failure {
        case nil: return true
        case EWOULDBLOCK: return false
        case .some(let code):
            throw .storeFailed("The token's lock file cannot be locked: \(TokenDirectory.text(code)).")
        }
    }

    /// Releases the lock immediately.
    func end() {
        let descriptor = state.withLock { state -> Int32? in
            defer { state = State() }
            return state.descriptor
        }
        if let descriptor { close(descriptor) }
    }
}
