import GatewayCore
import GatewayResilience
import GatewaySQLite

// Removing responses and their bytes.
//
// A sign-out makes the responses of its owner unreadable in one short transaction, removes them in several,
// rewrites the file, and empties the log, which contains old versions of pages. The log cannot be emptied
// while another process reads. The cache that requested the removal retries this, and so does each process
// that opens the file or stores something.
extension DiskCacheDatabase {
    /// The number of responses that are removed in one transaction, during which no other process can write.
    private static let mostRemoved = 256
    private static let emptyingPause = Duration.seconds(1)
    /// The pause after the file was rewritten, as a multiple of the duration of the rewriting.
    private static let pausesForRewriting = 20
    /// A shorter rewriting is not followed by a pause.
    private static let shortRewriting = Duration.milliseconds(250)

    /// Removes the responses of a key.
    func remove(_ key: DiskCacheKey) throws(CacheStoreError) {
        try removing { (connection) throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try Self.delete(from: key.digest, to: key.digest, connection)
            }
        }
    }

    /// Removes the responses of a place, and records the change.
    func invalidate(_ key: DiskCacheKey) throws(CacheStoreError) {
        try removing { (connection) throws(SQLiteError) in
            // While a process reads, each change would extend the log without limit.
            if file.logBytes > DiskCacheFile.longestLog, try !mayLengthenLog(connection) {
                throw SQLiteError.full
            }
            try connection.transaction { () throws(SQLiteError) in
                try DiskCacheChanges.change(place: key.place, connection)
                try Self.delete(from: key.place, to: key.endOfPlace, connection)
            }
        }
    }

    private static func delete(
        from first: [UInt8], to last: [UInt8], _ connection: SQLiteConnection
    ) throws(SQLiteError) {
        try connection.run(
            "DELETE FROM body WHERE id IN (SELECT id FROM head WHERE key BETWEEN ? AND ?)",
            .bytes(first), .bytes(last))
        try connection.run("DELETE FROM head WHERE key BETWEEN ? AND ?", .bytes(first), .bytes(last))
    }

    // MARK: Sign-out

    /// Removes the responses of an owner, including all of their bytes.
    ///
    /// - Parameter isFinal: whether no further responses of the owner are stored.
    func removeAll(ofOwner owner: [UInt8], forGood isFinal: Bool = false) async throws(CacheStoreError) {
        try await removingUrgently { (connection) throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                // Only the first time, because nothing was stored since.
                if isFinal, try DiskCacheChanges.isGone(owner, connection) { return }
                try DiskCacheChanges.end(owner, connection)
                if isFinal { try DiskCacheChanges.noteGone(owner, connection) }
            }
        }
        try await completeRemovals()
    }

    /// Removes all responses, including all of their bytes.
    func removeAll() async throws(CacheStoreError) {
        try await removingUrgently { (connection) throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try DiskCacheChanges.end(nil, connection)
                try connection.run("DELETE FROM body")
                try connection.run("DELETE FROM head")
                try connection.run("DELETE FROM ended")
                try connection.run("DELETE FROM part")
            }
        }
        try await completeRemovals()
    }

    /// Removes the responses of all owners that have signed out, and overwrites the bytes of removed
    /// responses in the file and in its log. It is not a change.
    func completeRemovals() async throws(CacheStoreError) {
        do throws(CacheStoreError) {
            try await removingUrgently { (connection) throws(SQLiteError) in
                // Including combined accounts that the owner is part of.
                for owner in try Self.ended(connection) { try Self.delete(owner: owner, connection) }
            }
        } catch {
            throw CacheStoreError(
                .notErased, "Removed responses are unreadable, and still in the file of the cache.",
                underlying: error)
        }
        guard await erase() else {
            throw CacheStoreError(
                .notErased, "Other processes use the file: bytes of removed responses are left in it.")
        }
    }

    /// Runs a body of a sign-out. While this process rewrites the file, no other write is possible; a failed
    /// body is retried after that. If there is no space for it, the file is removed, unless others use it: a
    /// new one is small.
    private func removingUrgently(
        _ body: (SQLiteConnection) throws(SQLiteError) -> Void
    ) async throws(CacheStoreError) {
        var isRemoved = false
        while true {
            do throws(CacheStoreError) {
                return try removing(isUrgent: true, body)
            } catch {
                if error.code == .full, erasing == nil, !isRemoved {
                    disconnect()
                    isRemoved = file.removeUnused()
                    if isRemoved { continue }
                }
                guard let erasing else { throw error }
                _ = await erasing.value
            }
        }
    }

    /// Removes the unreadable responses of an owner, and the record of the owner.
    private static func delete(owner: [UInt8], _ connection: SQLiteConnection) throws(SQLiteError) {
        var isDone = false
        while !isDone {
            isDone = try connection.transaction { () throws(SQLiteError) -> Bool in
                // Another process may have removed them in the meantime, and the account may have stored
                // others since.
                let ended = try connection.statement("SELECT 1 FROM ended WHERE owner = ?", .bytes(owner))
                let isEnded = try ended.step()
                ended.reset()
                guard isEnded else { return true }
                try connection.run(
                    """
                    DELETE FROM body WHERE id IN (SELECT id FROM head WHERE owner = ?1 ORDER BY id LIMIT ?2)
                    """, .bytes(owner), .integer(Int64(mostRemoved)))
                try connection.run(
                    """
                    DELETE FROM head WHERE id IN (SELECT id FROM head WHERE owner = ?1 ORDER BY id LIMIT ?2)
                    """, .bytes(owner), .integer(Int64(mostRemoved)))
                guard connection.changes < mostRemoved else { return false }
                try connection.run("DELETE FROM ended WHERE owner = ?", .bytes(owner))
                try connection.run("DELETE FROM part WHERE owner = ?", .bytes(owner))
                // The log contains them from now on. A new number, so that an earlier overwriting does not
                // confirm this one.
                try connection.run("UPDATE counter SET last = last + 1, unerased = last + 1")
                return true
            }
        }
    }

    /// Completes removals that another process has begun and not completed. Errors are ignored, because the
    /// responses are unreadable.
    func resumeRemovals(_ connection: SQLiteConnection) {
        do throws(SQLiteError) {
            for owner in try Self.ended(connection) { try Self.delete(owner: owner, connection) }
            if try connection.number("SELECT unerased FROM counter") != 0 { eraseInBackground() }
        } catch {}
    }

    private static func ended(_ connection: SQLiteConnection) throws(SQLiteError) -> [[UInt8]] {
        let statement = try connection.statement("SELECT owner FROM ended")
        defer { statement.reset() }
        var owners: [[UInt8]] = []
        while try statement.step() { owners.append(statement.bytes(0)) }
        return owners
    }

    // MARK: Bytes

    /// Overwrites the bytes of removed responses in the background, unless that has just failed.
    func eraseInBackground() {
        let now = clock.now
        guard erasing == nil, nextEmptying.map({ $0 <= now }) ?? true,
            nextRewriting.map({ $0 <= now }) ?? true
        else { return }
        Task.detached { [weak self] in _ = await self?.erase(opensFile: false) }
    }

    /// Overwrites the bytes of previously removed responses in the file and in its log.
    ///
    /// - Parameter opensFile: whether to open the file if it was closed in the meantime.
    /// - Returns: whether no bytes are left.
    private func erase(opensFile: Bool = true) async -> Bool {
        // An overwriting that began before may leave some of them.
        while let erasing { _ = await erasing.value }
        let task = Task { () async -> Bool in
            let isErased = await eraseNow(opensFile: opensFile)
            erasing = nil
            return isErased
        }
        erasing = task
        return await task.value
    }

    private func eraseNow(opensFile: Bool) async -> Bool {
        guard opensFile || connection != nil else { return false }
        let found: SQLiteConnection?
        do throws(CacheStoreError) { found = try opened(isRemoval: true, isUrgent: true) } catch {
            return false
        }
        // A damaged file was removed.
        guard let before = found else { return true }
        do throws(SQLiteError) {
            let unerased = try before.number("SELECT unerased FROM counter")
            guard unerased != 0 else { return true }
            if let nextRewriting, clock.now < nextRewriting { return false }
            // While another process reads, rewriting the file would have no effect.
            guard try emptyLog(before) else { return false }
            await onErasing?()
            let began = clock.now
            try await rewriter.rewrite(file)
            // Many sign-outs share one long rewriting, so that others can write most of the time.
            let time = began.duration(to: clock.now)
            let pause = time < Self.shortRewriting ? .zero : time * Self.pausesForRewriting
            nextRewriting = clock.now.adding(pause)
            // The file may have been closed in the meantime, and be another one now.
            guard let after = connection, try emptyLog(after) else { return false }
            try after.transaction { () throws(SQLiteError) in
                // A later sign-out overwrites its own bytes, and does not delay this one.
                try after.run("UPDATE counter SET unerased = 0 WHERE unerased = ?", .integer(unerased))
            }
            return true
        } catch {
            disconnect(after: error)
            nextEmptying = clock.now.adding(Self.emptyingPause)
            return false
        }
    }

    /// Empties the log, which contains old versions of pages, unless others use it.
    ///
    /// - Returns: whether it is empty.
    private func emptyLog(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        // The first column is 0 unless another connection has prevented it.
        guard try connection.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
            nextEmptying = clock.now.adding(Self.emptyingPause)
            return false
        }
        nextEmptying = nil
        return true
    }

    /// Whether the log is short, or could be emptied. A long read of another process prevents that.
    func mayLengthenLog(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        guard file.logBytes > DiskCacheFile.logLimit else { return true }
        if let nextEmptying, clock.now < nextEmptying { return false }
        return try emptyLog(connection)
    }
}
