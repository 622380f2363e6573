public import GatewayCore

/// A store in files, for the processes of one user on one machine.
///
/// ```swift
/// let coordinator = TokenRefreshCoordinator(
///     acquirer: acquirer, store: FileTokenStore(directory: "/var/lib/my-service/tokens"))
/// ```
/// The directory is made with mode 0700 where it is missing (its parent must be there), and refused where another user
/// owns it or others may write to it. Each key has up to four files of mode 0600, named after the SHA-256 of the key,
/// so that no name tells whose token it is: the record (`.json`), the record that is being written (`.new`), and two
/// that are empty, locked, and never deleted (`.lock`, `.swap`). Symbolic links are never followed.
///
/// A record is written beside the old one, brought to disk, and renamed: there is always one whole record. Locks are
/// `flock(2)`, which the kernel takes from a process that ends, however it ends. Network file systems that don't carry
/// `flock` between machines (NFS before Linux 2.6.12, some cluster file systems) cannot be shared by machines.
///
/// What is no record (bytes that a disk lost, say) counts as absent and is replaced. A record of another key or a
/// later version, a link, or a file that others may read is an error, and is left alone.
public final class FileTokenStore: TokenStore {
    /// The first pause between two attempts at a lock; doubled up to ``longestPause``.
    private static let pause: Duration = .milliseconds(2)
    /// Short, since a lock is held for as long as a token request takes.
    private static let longestPause: Duration = .milliseconds(50)
    /// Swapping takes a few writes to disk. Who takes longer has been stopped.
    private static let longestSwap: Duration = .seconds(10)

    private let directory: TokenDirectory
    private let clock: any GatewayClock
    private let worker = WorkerThread()

    /// Names a store. Nothing is read or made yet.
    ///
    /// - Parameters:
    ///   - directory: the path of the directory; relative ones are relative to the working directory.
    ///   - clock: what deadlines and pauses are counted on.
    public convenience init(directory: String, clock: any GatewayClock = SystemClock()) {
        self.init(directory: directory, clock: clock, onStep: nil)
    }

    /// - Parameter onStep: is called on the store's thread between the steps of writing a record.
    package init(
        directory: String, clock: any GatewayClock, onStep: (@Sendable (TokenFileStep) -> Void)?
    ) {
        self.directory = TokenDirectory(path: directory, onStep: onStep)
        self.clock = clock
    }

    /// The record of a key; `nil` where there is none.
    public func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        let directory = directory
        return try await worker.run { () throws(NetworkError) in try directory.load(key) }
    }

    /// Stores a record in place of another, if that is still there. It is on disk when this returns `true`.
    public func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        let lock = try await lock(key, .swap, deadline: .after(Self.longestSwap, clock: clock))
        defer { lock.end() }
        let directory = directory
        return try await worker.run { () throws(NetworkError) in
            guard try (directory.load(key)?.generation ?? 0) == generation else { return false }
            try directory.replace(key, with: record)
            return true
        }
    }

    /// Waits until no other process and nobody else in this one holds the key, and holds it.
    public func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        try await lock(key, .lock, deadline: deadline)
    }

    private func lock(
        _ key: TokenKey, _ file: TokenDirectory.File, deadline: Deadline
    ) async throws(NetworkError) -> FileLock {
        let directory = directory
        let lock = try await worker.run { () throws(NetworkError) in try directory.openLock(file, of: key) }
        var pause = Self.pause
        while true {
            if try await worker.run({ () throws(NetworkError) in try lock.attempt() }) { return lock }
            let now = clock.now
            guard !deadline.hasPassed(at: now) else { throw .storeIsBusy }
            do {
                try await clock.sleep(until: min(now + pause, deadline.instant))
            } catch {
                throw .lockCancelled
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
