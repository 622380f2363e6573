import CFaultFileSystem
import CSQLite

/// A file system of SQLite whose operations fail when a test wants it.
final class FaultFileSystem {
    enum Operation: Int32, CaseIterable {
        case write, sync, truncate, delete, open
        case read = 6
    }

    /// The name by which SQLite knows it.
    let name: String
    private let system: OpaquePointer

    /// Registers a file system, for the rest of the process: connections may be closed later than a test thinks.
    init?() {
        let name = "faults-\(UInt64.random(in: 0 ... .max))"
        guard let system = fault_file_system_make(name) else { return nil }
        self.name = name
        self.system = system
    }

    /// Lets operations fail after some more.
    func fail(_ operation: Operation, after skipped: Int, times: Int = 1, code: Int32 = SQLITE_IOERR | 4 << 8)
    {
        fault_file_system_fail(system, operation.rawValue, Int64(skipped), Int64(times), code)
    }

    func count(_ operation: Operation) -> Int { Int(fault_file_system_count(system, operation.rawValue)) }
    var failures: Int { Int(fault_file_system_failures(system)) }

    /// How often a journal was opened with `SQLITE_OPEN_CREATE`. SQLite syncs its directory then.
    var journalCreations: Int { Int(fault_file_system_creations(system)) }

    /// Notes operations from now on.
    func record() { fault_file_system_record(system) }
    func mark(_ number: Int) { fault_file_system_mark(system, Int64(number)) }

    /// What was done.
    enum Step {
        case write(isJournal: Bool, offset: Int, [UInt8])
        case truncate(isJournal: Bool, size: Int)
        case sync(isJournal: Bool)
        /// The writes before it never reach the disk.
        case failedSync(isJournal: Bool)
        case delete(isJournal: Bool)
        case mark(Int)
    }

    var steps: [Step] {
        (0..<fault_file_system_records(system)).map { index in
            let record = fault_file_system_record_at(system, index)
            let (isJournal, offset) = (record.is_journal != 0, Int(record.offset))
            switch Int(record.kind) {
            case FAULT_WRITE:
                return .write(
                    isJournal: isJournal, offset: offset,
                    Array(UnsafeBufferPointer(start: record.bytes, count: Int(record.length))))
            case FAULT_TRUNCATE: return .truncate(isJournal: isJournal, size: offset)
            case FAULT_SYNC: return .sync(isJournal: isJournal)
            case FAULT_FAILED_SYNC: return .failedSync(isJournal: isJournal)
            case FAULT_DELETE: return .delete(isJournal: isJournal)
            default: return .mark(offset)
            }
        }
    }
}
