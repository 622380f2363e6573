import GatewayCore
import GatewaySQLite

/// The metadata of a file.
struct QueueMeta {
    /// The number and the size of entries.
    struct Total: Hashable {
        var count = 0
        var bytes = 0
    }

    /// The newest time that was passed to the store.
    var newest = QueueTime(milliseconds: .min)
    /// The identifier that was assigned last.
    var lastID: Int64 = 0
    /// The entries in each state, by its number.
    private(set) var totals = [Total](repeating: Total(), count: QueueEntry.State.all.count)
    /// The runs of leased entries.
    var runs: [QueueRun] = []

    init(newest: QueueTime = QueueTime(milliseconds: .min), lastID: Int64 = 0) {
        self.newest = newest
        self.lastID = lastID
    }

    func total(_ state: QueueEntry.State) -> Total {
        let index = Int(state.rawValue)
        return totals.indices.contains(index) ? totals[index] : Total()
    }

    /// The entries that count towards the limits.
    var active: Total {
        var sum = Total()
        for state in QueueEntry.State.all where state.isActive {
            sum.count = sum.count.addingClamped(total(state).count)
            sum.bytes = sum.bytes.addingClamped(total(state).bytes)
        }
        return sum
    }

    /// The index of the run that contains an entry; `nil` if there is none.
    func runIndex(of id: Int64) -> Int? { runs.firstIndex { $0.ids.contains(id) } }

    /// Adds to a total; `count` and `bytes` are negative to subtract.
    mutating func add(_ count: Int, _ state: QueueEntry.State, bytes: Int) {
        let index = Int(state.rawValue)
        guard totals.indices.contains(index) else { return }
        totals[index].count = totals[index].count.addingClamped(count)
        totals[index].bytes = totals[index].bytes.addingClamped(bytes)
    }

    // MARK: Bytes

    /// Time, identifier, and the number and size of entries in each state, 8 bytes each; the number of runs
    /// (2), the runs, and the checksum of all of this. Why a checksum: with a wrong time nothing would be
    /// sent.
    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(newest.milliseconds)
        writer.append(lastID)
        for total in totals {
            writer.append(Int64(total.count))
            writer.append(Int64(total.bytes))
        }
        writer.append(UInt16(clamping: runs.count))
        for run in runs { run.append(to: &writer) }
        return writer.finished(salt: 0)
    }

    /// Decodes the bytes of the file; `nil` if they are damaged.
    init?(_ bytes: [UInt8]) {
        guard var reader = ByteReader(bytes, salt: 0), let time: Int64 = reader.number(),
            let last: Int64 = reader.number()
        else { return nil }
        self.init(newest: QueueTime(milliseconds: time), lastID: last)
        for index in totals.indices {
            guard let count: Int64 = reader.number(), let size: Int64 = reader.number() else { return nil }
            totals[index] = Total(count: Int(clamping: count), bytes: Int(clamping: size))
        }
        guard let count: UInt16 = reader.number() else { return nil }
        for _ in 0..<count {
            guard let run = QueueRun(&reader) else { return nil }
            runs.append(run)
        }
        guard reader.isAtEnd else { return nil }
    }
}

extension QueueTable {
    func meta() throws(SQLiteError) -> QueueMeta {
        if let known = transaction.meta { return known }
        let statement = try connection.statement("SELECT bytes FROM meta")
        defer { statement.reset() }
        guard try statement.step(), let read = QueueMeta(statement.bytes(0)) else { throw .corrupt }
        transaction.meta = read
        return read
    }

    func set(_ meta: QueueMeta) {
        transaction.meta = meta
        transaction.isChanged = true
    }

    /// Adds an entry to the totals, or subtracts it.
    func count(_ count: Int, _ state: QueueEntry.State, bytes: Int) throws(SQLiteError) {
        var meta = try meta()
        transaction.meta = nil
        meta.add(count, state, bytes: bytes)
        set(meta)
    }

    /// Moves entries between the totals of two states.
    ///
    /// - Parameter bytes: the total size of the entries.
    func count(
        _ count: Int = 1, bytes: Int, from old: QueueEntry.State, to new: QueueEntry.State
    ) throws(SQLiteError) {
        guard old != new, count > 0 else { return }
        try self.count(-count, old, bytes: 0.subtractingClamped(bytes))
        try self.count(count, new, bytes: bytes)
    }

    /// Writes changed metadata. This is the last step of a transaction.
    func saveMeta() throws(SQLiteError) {
        guard transaction.isChanged, let meta = transaction.meta else { return }
        try connection.run("UPDATE meta SET bytes = ?", .bytes(meta.encoded))
        transaction.isChanged = false
    }
}
