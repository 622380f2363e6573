public import GatewayCore

/// A token store in files, shared by the processes of one user on one machine.
///
/// ```swift
/// let coordinator = TokenRefreshCoordinator(
///     acquirer: acquirer, store: FileTokenStore(directory: "/var/lib/my-service/tokens"))
/// ```
/// The directory is created with mode 0700 if it is missing (its parent must exist). It is refused if a user other than
/// this one or root owns it, or if its group or others may write to it. Each key has up to seven files of mode 0600,
/// named with the SHA-256 of the key, so that file names do not reveal keys:
/// - `.json` is the record;
/// - `.mark` contains the generation of the newest record and no secret; it is used to detect a lost record;
/// - `.lock` and `.swap` are the empty lock files; they are never deleted;
/// - `.reserved` is disk space for the next record while its request is in progress, and `.new` a record that is being
///   written without reserved space;
/// - `.sender` identifies the process whose single-use request is in progress.
///
/// Symbolic links are never followed.
///
/// A record is written to another file, synced and renamed, so there is always one complete record. Its space is
/// reserved before a refresh token is sent, so that a full disk is detected while the old token is still valid. Locks
/// use `flock(2)`; the kernel releases them when a process ends or is killed. A lock whose file was deleted or replaced
/// counts as lost; if a request was sent before, `.sender` prevents another one. Do not delete the files while
/// processes use them. The directory must not be shared by several machines over a network file system without `flock`
/// between machines (NFS before Linux 2.6.12, some cluster file systems).
///
/// A record that is missing, damaged, or older than its mark is lost: see ``StoredToken/Content/lost``. If the mark
/// says that the record was replaceable, it counts as a record without a grant. A record of another key or a later
/// version, a link, or a file that other users may read is an error and is not changed.
public final class FileTokenStore: TokenStore {
    /// The maximum first pause between two attempts to lock; doubled up to ``longestPause``. Pauses are random.
    private static let pause: Duration = .milliseconds(2)
    /// Short, since a lock is held for as long as a token request takes.
    private static let longestPause: Duration = .milliseconds(50)
    /// A swap takes a few writes to disk; a process that takes longer is suspended.
    private static let longestSwap: Duration = .seconds(10)

    private let directory: TokenDirectory
    private let clock: any GatewayClock
    private let worker = WorkerThread()
    /// The space reserved under the locks of this store.
    private let spaces = Locked<[TokenKey: ReservedSpace]>([:])

    /// Creates a store. Nothing is read or created on disk yet.
    ///
    /// - Parameters:
    ///   - directory: the path of the directory; a relative path is relative to the working directory.
    ///   - clock: the clock of deadlines and pauses.
    public convenience init(directory: String, clock: any GatewayClock = SystemClock()) {
        self.init(directory: directory, clock: clock, onStep: nil)
    }

    /// - Parameter onStep: called on the store's thread between the steps of writing a record.
    package init(
        directory: String, clock: any GatewayClock, onStep: (@Sendable (TokenFileStep) -> Void)?
    ) {
        self.directory = TokenDirectory(path: directory, onStep: onStep)
        self.clock = clock
    }

    /// Returns the record of a key; `nil` if there is none.
    public func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        let directory = directory
        return try await worker.run { () throws(NetworkError) in try directory.load(key) }
    }

    /// Replaces a record if the stored generation matches. The new record is on disk when this returns `true`.
    public func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        let bytes = try record.storable()
        let lock = try await swapLock(key)
        defer { lock.end() }
        let (directory, space) = (directory, spaces.withLock { $0[key] })
        return try await worker.run { () throws(NetworkError) in
            guard try (directory.load(key)?.generation ?? 0) == generation else { return false }
            try directory.replace(key, with: bytes, in: space, under: lock)
            // The record is stored even if raising the mark fails; the next request requires the mark.
            try? directory.raiseMark(of: key, to: TokenMark(record))
            return true
        }
    }

    /// Waits until the key is not locked by this or any other process, and locks it.
    public func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        FileTokenLock(try await lock(key, .lock, deadline: deadline), of: key, in: self)
    }

    private func swapLock(_ key: TokenKey) async throws(NetworkError) -> FileLock {
        try await lock(key, .swap, deadline: .after(Self.longestSwap, clock: clock))
    }

    private func lock(
        _ key: TokenKey, _ file: TokenDirectory.File, deadline: Deadline
    ) async throws(NetworkError) -> FileLock {
        let directory = directory
        var lock: FileLock?
        var pause = Self.pause
        while true {
            let before = lock
            let (next, isHeld) = try await worker.run { () throws(NetworkError) -> (FileLock?, Bool) in
                let lock = if let before { before } else { try directory.openLock(file, of: key) }
                guard try lock.attempt() else { return (lock, false) }
                // Later callers lock the file that the path now names.
                return lock.isHeld ? (lock, true) : (nil, false)
            }
            if let next, isHeld { return next }
            lock = next
            let now = clock.now
            guard !deadline.hasPassed(at: now) else { throw .storeIsBusy }
            do {
                // Random, so that waiting callers do not retry simultaneously.
                let spread = pause * (0.5 + FastRandomSource().unit() / 2)
                try await clock.sleep(until: min(now + spread, deadline.instant))
            } catch {
                throw .lockCancelled
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    // MARK: Room

    /// Reserves the space of the next record, and records the sender.
    ///
    /// - Parameters:
    ///   - number: the sender's.
    ///   - deadline: the deadline of a single-use request; `nil` for other requests.
    func prepare(
        _ key: TokenKey, under lock: FileLock, number: UInt64, until deadline: Deadline?
    ) async throws(NetworkError) {
        let swap = try await swapLock(key)
        defer { swap.end() }
        let (directory, unixTime) = (directory, clock.unixTime)
        let sender = deadline.map {
            TokenSender(
                number: number,
                limit: (unixTime + max($0.remaining(at: clock.time), .zero)).wholeSeconds.addingClamped(1))
        }
        let space = try await worker.run { () throws(NetworkError) in
            guard lock.isHeld else { throw .lockLost }
            // A process that replaces the lock file after this finds the note; the lock is checked again below.
            if let sender { try directory.note(sender, of: key, at: unixTime) }
            do throws(NetworkError) {
                return try directory.reserve(for: key, under: lock)
            } catch {
                try? directory.erase(number, of: key)
                throw error
            }
        }
        spaces.withLock { $0[key] = space }
        // The lock may have been released in the meantime.
        guard lock.isHeld else {
            await giveUp(key, under: lock, number: number)
            throw .lockLost
        }
    }

    /// Releases the unused preparations of a lock.
    func giveUp(_ key: TokenKey, under lock: FileLock, number: UInt64) async {
        guard let space = takeSpace(of: key, under: lock) else { return }
        let directory = directory
        try? await worker.run {
            try? directory.erase(number, of: key)
            directory.discard(space, of: key)
        }
    }

    /// The same in the background; the lock is kept until then.
    func giveUpLater(_ key: TokenKey, under lock: FileLock, number: UInt64) {
        guard let space = takeSpace(of: key, under: lock) else { return }
        let directory = directory
        worker.post {
            try? directory.erase(number, of: key)
            directory.discard(space, of: key)
            lock.end()
        }
    }

    private func takeSpace(of key: TokenKey, under lock: FileLock) -> ReservedSpace? {
        spaces.withLock { spaces in
            guard let space = spaces[key], space.lock === lock else { return nil }
            spaces[key] = nil
            return space
        }
    }
}
