import GatewayCore
import GatewayResilience
import GatewaySQLite

// Removing responses, and their bytes.
//
// A sign-out makes the responses of its owner unreadable in one short transaction, removes them in several, and then empties the
// log, which has old contents of pages. The log cannot be emptied while another process reads: this is tried again by the cache
// that has asked for it, and by each process that opens the file or stores something.
extension DiskCacheDatabase {
    /// The number of responses that are removed at a time: meanwhile nobody else can write.
    private static let mostRemoved = 256
    private static let emptyingPause = Duration.seconds(1)

    /// Removes the responses of a key.
    func remove(_ key: DiskCacheKey) throws(CacheStoreError) {
        try removing { (connection) throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try Self.delete(from: key.digest, to: key.digest, connection)
            }
        }
    }

    /// Removes the responses of a place, and notes the change.
    func invalidate(_ key: DiskCacheKey) throws(CacheStoreError) {
        try removing { (connection) throws(SQLiteError) in
            // Under a reader each change would make the log longer, without an end.
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
        let bodies = try connection.statement(
            "DELETE FROM body WHERE id IN (SELECT id FROM head WHERE key BETWEEN ? AND ?)")
        try bodies.bind(first, at: 1)
        try bodies.bind(last, at: 2)
        try bodies.run()
        let heads = try connection.statement("DELETE FROM head WHERE key BETWEEN ? AND ?")
        try heads.bind(first, at: 1)
        try heads.bind(last, at: 2)
        try heads.run()
    }

    // MARK: Sign-out

    /// Removes the responses of an owner, and each byte of them.
    func removeAll(ofOwner owner: [UInt8]) throws(CacheStoreError) {
        try erasing { (connection) throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try DiskCacheChanges.end(owner, connection)
            }
            try Self.delete(owner: owner, connection)
        }
    }

    /// Removes all responses, and each byte of them.
    func removeAll() throws(CacheStoreError) {
        try erasing { (connection) throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try DiskCacheChanges.end(nil, connection)
                try connection.statement("DELETE FROM body").run()
                try connection.statement("DELETE FROM head").run()
                try connection.statement("DELETE FROM ended").run()
            }
        }
    }

    /// Removes the responses of an owner that are unreadable, and forgets the owner.
    private static func delete(owner: [UInt8], _ connection: SQLiteConnection) throws(SQLiteError) {
        var isDone = false
        while !isDone {
            isDone = try connection.transaction { () throws(SQLiteError) -> Bool in
                let bodies = try connection.statement(
                    """
                    DELETE FROM body WHERE id IN (SELECT id FROM head WHERE owner = ?1 ORDER BY id LIMIT ?2)
                    """)
                try bodies.bind(owner, at: 1)
                try bodies.bind(Int64(mostRemoved), at: 2)
                try bodies.run()
                let heads = try connection.statement(
                    """
                    DELETE FROM head WHERE id IN (SELECT id FROM head WHERE owner = ?1 ORDER BY id LIMIT ?2)
                    """)
                try heads.bind(owner, at: 1)
                try heads.bind(Int64(mostRemoved), at: 2)
                try heads.run()
                guard connection.changes < mostRemoved else { return false }
                let end = try connection.statement("DELETE FROM ended WHERE owner = ?")
                try end.bind(owner, at: 1)
                try end.run()
                // The log has them from now on, whenever it was emptied last.
                try connection.statement("UPDATE counter SET unerased = last").run()
                return true
            }
        }
    }

    /// Runs a body that removes responses, and empties the log.
    private func erasing(
        _ body: (SQLiteConnection) throws(SQLiteError) -> Void
    ) throws(CacheStoreError) {
        var isErased = true
        try removing { (connection) throws(SQLiteError) in
            try body(connection)
            isErased = try emptyLog(connection)
        }
        guard isErased else {
            throw CacheStoreError(
                .notErased, "Another process reads the file: removed responses are left in its log.")
        }
    }

    /// Ends what a process that has ended, or another one that is late, has begun. Failures do not matter: the responses are
    /// unreadable.
    func resumeRemovals(_ connection: SQLiteConnection) {
        do throws(SQLiteError) {
            for owner in try Self.ended(connection) { try Self.delete(owner: owner, connection) }
            if try connection.number("SELECT unerased FROM counter") != 0 { _ = try emptyLog(connection) }
        } catch {}
    }

    private static func ended(_ connection: SQLiteConnection) throws(SQLiteError) -> [[UInt8]] {
        let statement = try connection.statement("SELECT owner FROM ended")
        defer { statement.reset() }
        var owners: [[UInt8]] = []
        while try statement.step() { owners.append(statement.bytes(0)) }
        return owners
    }

    // MARK: The log

    /// Empties the log, unless others use it.
    ///
    /// - Returns: whether it is empty.
    private func emptyLog(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let unerased = try connection.number("SELECT unerased FROM counter")
        // Its first column tells whether it was kept from it.
        guard try connection.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
            nextEmptying = clock.now.adding(Self.emptyingPause)
            return false
        }
        nextEmptying = nil
        guard unerased != 0 else { return true }
        // Not that of a sign-out since. If this fails, the log is emptied once more.
        try? connection.transaction { () throws(SQLiteError) in
            let statement = try connection.statement("UPDATE counter SET unerased = 0 WHERE unerased = ?")
            try statement.bind(unerased, at: 1)
            try statement.run()
        }
        return true
    }

    /// Empties the log if that has failed before, and not just now.
    func emptyLogAgain() {
        guard nextEmptying.map({ $0 <= clock.now }) ?? true else { return }
        try? removing { (connection) throws(SQLiteError) in _ = try emptyLog(connection) }
    }

    /// Whether the log is short, or could be emptied. A process that reads for long keeps it from that.
    func mayLengthenLog(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        guard file.logBytes > DiskCacheFile.logLimit else { return true }
        if let nextEmptying, clock.now < nextEmptying { return false }
        return try emptyLog(connection)
    }
}
