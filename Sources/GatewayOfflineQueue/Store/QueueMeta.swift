import GatewaySQLite

/// What a file knows about itself.
struct QueueMeta {
    /// The newest time that the store was given.
    var newest = QueueTime(milliseconds: .min)
    /// The identifier that was given last.
    var lastID: Int64 = 0

    /// The checksum of both. With a wrong time nothing would be sent.
    var checksum: Int64 {
        var writer = ByteWriter()
        writer.append(newest.milliseconds)
        writer.append(lastID)
        return Int64(bitPattern: ByteWriter.checksum(of: writer.bytes, salt: 0))
    }
}

extension QueueTable {
    func meta() throws(SQLiteError) -> QueueMeta {
        let statement = try connection.statement("SELECT newest, lastID, checksum FROM meta")
        defer { statement.reset() }
        guard try statement.step() else { throw .corrupt }
        let meta = QueueMeta(
            newest: QueueTime(milliseconds: statement.int64(0)), lastID: statement.int64(1))
        guard statement.int64(2) == meta.checksum else { throw .corrupt }
        return meta
    }

    func set(_ meta: QueueMeta) throws(SQLiteError) {
        try run(
            "UPDATE meta SET newest = ?, lastID = ?, checksum = ?", .integer(meta.newest.milliseconds),
            .integer(meta.lastID), .integer(meta.checksum))
    }
}
