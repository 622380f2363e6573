import GatewayResilience
import GatewaySQLite

/// The changes in a file, which determine what may still be stored: see ``GatewayResilience/CacheStore``.
/// They are read and written in the same transaction as the decision.
///
/// The table `counter` has one row: the number of the last change, the number of the last change of an owner
/// or of everything (`floor`), and the number of the last sign-out whose bytes may remain in a file
/// (`unerased`, 0 for none). `changed` contains the numbers of the last changes of places, and `ended` those
/// of owners whose responses are unreadable but not removed yet. Each response has the number of the last
/// change when it was stored. `part` contains the parts of combined accounts, and `gone` the newest owners
/// that are never used again.
struct DiskCacheChanges {
    /// The maximum number of changed places. Beyond it all are removed, and the responses of requests in
    /// progress are not stored.
    private static let mostPlaces: Int64 = 1_024
    /// The maximum number of stored owners that are never used again.
    private static let mostGone: Int64 = 1_024

    let last: Int64
    let floor: Int64
    let unerased: Int64

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        let counter = try connection.statement("SELECT last, floor, unerased FROM counter")
        defer { counter.reset() }
        guard try counter.step() else { throw .corrupt }
        last = counter.int64(0)
        floor = counter.int64(1)
        unerased = counter.int64(2)
        // With such values nothing could be stored any more.
        guard floor >= 0, floor <= last, last < .max else { throw .corrupt }
    }

    /// Whether a request that began at a generation may store its response.
    func admits(
        _ key: DiskCacheKey, since generation: CacheGeneration, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> Bool {
        let number = Int64(bitPattern: generation.rawValue)
        guard floor <= number, number <= last else { return false }
        let changed = try connection.statement(
            "SELECT number FROM changed WHERE place = ?", .bytes(key.place))
        defer { changed.reset() }
        guard try changed.step() else { return true }
        return changed.int64(0) <= number
    }

    /// Records a change of a place.
    static func change(place: [UInt8], _ connection: SQLiteConnection) throws(SQLiteError) {
        let number = try DiskCacheChanges(connection).last + 1
        try write(last: number, connection)
        if number % mostPlaces == 0 {
            try connection.run("DELETE FROM changed")
            try connection.run("UPDATE counter SET floor = last")
        }
        try connection.run(
            "INSERT OR REPLACE INTO changed (place, number) VALUES (?, ?)", .bytes(place), .integer(number))
    }

    /// Records that an owner has signed out, which makes its responses unreadable, or that all responses are
    /// removed.
    ///
    /// - Parameter owner: the owner; `nil` for all.
    static func end(_ owner: [UInt8]?, _ connection: SQLiteConnection) throws(SQLiteError) {
        let number = try DiskCacheChanges(connection).last + 1
        try write(last: number, connection)
        try connection.run("DELETE FROM changed")
        try connection.run("UPDATE counter SET floor = last, unerased = last")
        guard let owner else { return }
        try connection.run(
            "INSERT OR REPLACE INTO ended (owner, number) VALUES (?, ?)", .bytes(owner), .integer(number))
        try connection.run(
            """
            INSERT OR REPLACE INTO ended (owner, number) SELECT part.owner, ?2 FROM part WHERE part.part = ?1
            """, .bytes(owner), .integer(number))
    }

    /// Records that an owner that has just signed out is never used again.
    static func noteGone(_ owner: [UInt8], _ connection: SQLiteConnection) throws(SQLiteError) {
        let note = try connection.statement("INSERT INTO gone (owner, number) SELECT ?, last FROM counter")
        try note.bind(owner, at: 1)
        try note.run()
        let oldest = try connection.statement(
            """
            DELETE FROM gone WHERE number <= (SELECT number FROM gone ORDER BY number DESC LIMIT 1 OFFSET ?)
            """)
        try oldest.bind(mostGone, at: 1)
        try oldest.run()
    }

    /// Whether an owner is never used again.
    static func isGone(_ owner: [UInt8], _ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let gone = try connection.statement("SELECT 1 FROM gone WHERE owner = ?")
        try gone.bind(owner, at: 1)
        defer { gone.reset() }
        return try gone.step()
    }

    /// Whether the owner of a key, or a part of it, is never used again: a process that does not know that
    /// may still use its login.
    static func isGone(_ key: DiskCacheKey, _ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        for owner in [key.owner] + key.parts {
            if try isGone(owner, connection) { return true }
        }
        return false
    }

    /// Records the parts of the account, if it is a combined account.
    static func note(partsOf key: DiskCacheKey, _ connection: SQLiteConnection) throws(SQLiteError) {
        for part in key.parts {
            try connection.run(
                "INSERT OR IGNORE INTO part (part, owner) VALUES (?, ?)", .bytes(part), .bytes(key.owner))
        }
    }

    private static func write(last number: Int64, _ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.run("UPDATE counter SET last = ?", .integer(number))
    }
}
