public import GatewayCore

/// A store in files, for the processes of one user on one machine.
///
/// ```swift
/// let coordinator = TokenRefreshCoordinator(
///     acquirer: acquirer, store: FileTokenStore(directory: "/var/lib/my-service/tokens"))
/// ```
/// The directory is made with mode 0700 where it is missing (its parent must be there), and refused where another user
/// owns it or others may write to it. Each key has up to seven files of mode 0600, named after the SHA-256 of the key,
/// so that no name tells whose token it is:
/// - `.json` is the record;
/// - `.mark` holds the generation of the newest record, and no secret: it shows that a record was lost;
/// - `.lock` and `.swap` are empty, locked, and never deleted;
/// - `.reserved` is the space that is reserved for the next record while its request is under way, and `.new` a record that
///   is being written without that;
/// - `.sender` notes the process whose single-use request is under way.
///
/// Symbolic links are never followed.
///
/// A record is written beside the old one, brought to disk, and renamed: there is always one whole record. Its space is
/// reserved before a refresh token is sent, so that a full disk is noticed while the old one is still good. Locks are
/// `flock(2)`, which the kernel takes from a process that ends, however it ends. A lock whose file was deleted or
/// replaced counts as lost, and where a request was sent before that, `.sender` keeps others from sending another; the
/// files should not be deleted while processes run. Network file systems that don't carry
/// `flock` between machines (NFS before Linux 2.6.12, some cluster file systems) cannot be shared by machines.
///
/// A record that is missing, damaged, or older than the mark says was lost: see ``StoredToken/Content/lost``. Where the
/// mark says that it held nothing that cannot be replaced, it counts as a record without a grant. A record of another key
/// or a later version, a link, or a file that others may read is an error, and is left alone.
public final class FileTokenStore: TokenStore {
    /// The longest first pause between two attempts at a lock; doubled up to ``longestPause``. Pauses are random.
    private static let pause: Duration = .milliseconds(2)
    /// Short, since a lock is held for as long as a token request takes.
    private static let longestPause: Duration = .milliseconds(50)
    /// Swapping takes a few writes to disk. Who takes longer has been stopped.
    private static let longestSwap: Duration = .seconds(10)

    private let directory: TokenDirectory
    private let clock: any GatewayClock
    private let worker = WorkerThread()
    /// What was reserved under the locks that this store gave out.
    private let spaces = Locked<[TokenKey: ReservedSpace]>([:])

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
        let bytes = try record.storable()
        let lock = try await swapLock(key)
        defer { lock.end() }
        let (directory, space) = (directory, spaces.withLock { $0[key] })
        return try await worker.run { () throws(NetworkError) in
            guard try (directory.load(key)?.generation ?? 0) == generation else { return false }
            try directory.replace(key, with: bytes, in: space, under: lock)
            // The record is there, whatever becomes of its mark; the next request waits for one.
            try? directory.raiseMark(of: key, to: TokenMark(record))
            return true
        }
    }

    /// Waits until no other process and nobody else in this one holds the key, and holds it.
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
                // Later callers lock the file that is at the path now.
                return lock.isHeld ? (lock, true) : (nil, false)
            }
            if let next, isHeld { return next }
            lock = next
            let now = clock.now
            guard !deadline.hasPassed(at: now) else { throw .storeIsBusy }
            do {
                // Those who wait together do not all come back together.
                let spread = pause * (0.5 + FastRandomSource().unit() / 2)
                try await clock.sleep(until: min(now + spread, deadline.instant))
            } catch {
                throw .lockCancelled
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    // MARK: Room

    /// Reserves the space of the next record, and notes who is about to send.
    ///
    /// - Parameters:
    ///   - number: the sender's.
    ///   - deadline: the end of a single-use request; `nil` for another.
    func prepare(
        _ key: TokenKey, under lock: FileLock, number: UInt64, until deadline: Deadline?
    ) async throws(NetworkError) {
        let swap = try await swapLock(key)
        defer { swap.end() }
        let (directory, unixTime) = (directory, clock.unixTime)
        let sender = deadline.map {
            TokenSender(
                number: number,
                limit: (unixTime + max($0.remaining(at: clock.now), .zero)).wholeSeconds.addingClamped(1))
        }
        let space = try await worker.run { () throws(NetworkError) in
            guard lock.isHeld else { throw .lockLost }
            // A process that replaces the lock from now on finds the note; the lock is checked again after this.
            if let sender { try directory.note(sender, of: key, at: unixTime) }
            do throws(NetworkError) {
                return try directory.reserve(for: key, under: lock)
            } catch {
                try? directory.erase(number, of: key)
                throw error
            }
        }
        spaces.withLock { $0[key] = space }
        // It may have been released meanwhile.
        guard lock.isHeld else {
            await giveUp(key, under: lock, number: number)
            throw .lockLost
        }
    }

    /// Gives back what was prepared under a lock and not used.
    func giveUp(_ key: TokenKey, under lock: FileLock, number: UInt64) async {
        guard let space = takeSpace(of: key, under: lock) else { return }
        let directory = directory
        try? await worker.run {
            try? directory.erase(number, of: key)
            directory.discard(space, of: key)
        }
    }

    /// The same, some time; the lock is kept until then.
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
