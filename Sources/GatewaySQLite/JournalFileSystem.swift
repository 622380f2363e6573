internal import CSQLite
private import GatewayLibC

/// A VFS of SQLite for one connection, which syncs the directory of the journal once and not in each transaction.
///
/// SQLite opens the journal anew in each transaction with `SQLITE_OPEN_CREATE`, and then syncs the directory with the first sync
/// of the file: otherwise a loss of power could take the name of the journal, and leave half a transaction. Here the directory
/// is synced when the journal is opened first. As long as the path names the same file after that, it is opened without
/// `SQLITE_OPEN_CREATE`. The file is held open meanwhile, so that its inode number is not used again.
@safe final class JournalFileSystem {
    private typealias FileSystem = UnsafeMutablePointer<sqlite3_vfs>

    private let below: FileSystem
    private let own: FileSystem
    private let cName: UnsafeMutablePointer<CChar>
    /// The journal whose name is on the disk; negative for none.
    private var journal: Int32 = -1

    /// - Parameter name: the registered VFS that does everything; `nil` for the default one.
    init?(over name: String?) {
        guard let below = unsafe sqlite3_vfs_find(name),
            let cName = unsafe strdup("gateway-\(UInt64.random(in: 0 ... .max))")
        else { return nil }
        unsafe self.below = below
        unsafe self.cName = cName
        unsafe own = FileSystem.allocate(capacity: 1)
        unsafe own.initialize(to: sqlite3_vfs())
        unsafe own.pointee.iVersion = 1
        unsafe own.pointee.szOsFile = below.pointee.szOsFile
        unsafe own.pointee.mxPathname = below.pointee.mxPathname
        unsafe own.pointee.zName = UnsafePointer(cName)
        unsafe own.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        unsafe own.pointee.xOpen = { own, path, file, flags, out in
            unsafe JournalFileSystem.of(own)?.open(path, file, flags, out) ?? SQLITE_CANTOPEN
        }
        unsafe own.pointee.xDelete = { own, path, mustSync in
            guard let below = unsafe JournalFileSystem.below(own) else { return SQLITE_IOERR }
            return unsafe below.pointee.xDelete?(below, path, mustSync) ?? SQLITE_IOERR
        }
        unsafe own.pointee.xAccess = { own, path, flags, out in
            guard let below = unsafe JournalFileSystem.below(own) else { return SQLITE_IOERR }
            return unsafe below.pointee.xAccess?(below, path, flags, out) ?? SQLITE_IOERR
        }
        unsafe own.pointee.xFullPathname = { own, path, count, out in
            guard let below = unsafe JournalFileSystem.below(own) else { return SQLITE_IOERR }
            return unsafe below.pointee.xFullPathname?(below, path, count, out) ?? SQLITE_IOERR
        }
        unsafe own.pointee.xRandomness = { own, count, out in
            guard let below = unsafe JournalFileSystem.below(own) else { return 0 }
            return unsafe below.pointee.xRandomness?(below, count, out) ?? 0
        }
        unsafe own.pointee.xSleep = { own, microseconds in
            guard let below = unsafe JournalFileSystem.below(own) else { return 0 }
            return unsafe below.pointee.xSleep?(below, microseconds) ?? 0
        }
        unsafe own.pointee.xCurrentTime = { own, out in
            guard let below = unsafe JournalFileSystem.below(own) else { return SQLITE_IOERR }
            return unsafe below.pointee.xCurrentTime?(below, out) ?? SQLITE_IOERR
        }
        unsafe own.pointee.xGetLastError = { own, count, out in
            guard let below = unsafe JournalFileSystem.below(own) else { return 0 }
            return unsafe below.pointee.xGetLastError?(below, count, out) ?? 0
        }
        guard unsafe sqlite3_vfs_register(own, 0) == SQLITE_OK else { return nil }
    }

    /// The connection and its statements have been closed.
    deinit {
        unsafe sqlite3_vfs_unregister(own)
        unsafe own.deallocate()
        unsafe free(cName)
        if journal >= 0 { _ = close(journal) }
    }

    /// The name by which SQLite knows it.
    var name: String { unsafe String(cString: cName) }

    private static func of(_ own: FileSystem?) -> JournalFileSystem? {
        guard let data = unsafe own?.pointee.pAppData else { return nil }
        return unsafe Unmanaged<JournalFileSystem>.fromOpaque(data).takeUnretainedValue()
    }

    private static func below(_ own: FileSystem?) -> FileSystem? { unsafe of(own)?.below }

    private func open(
        _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ out: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let open = unsafe below.pointee.xOpen else { return SQLITE_CANTOPEN }
        // A pipe in the place of a file would wait for a writer.
        if let path = unsafe path, unsafe isOther(path) {
            unsafe file?.pointee.pMethods = nil
            return SQLITE_CANTOPEN
        }
        // One that is only read is looked at, and opened again if it is to be rolled back.
        let asked = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_READWRITE
        guard flags & asked == asked, let path = unsafe path, let file = unsafe file else {
            return unsafe open(below, path, file, flags, out)
        }
        if unsafe isDurable(path) {
            let code = unsafe open(below, path, file, flags & ~SQLITE_OPEN_CREATE, out)
            if code == SQLITE_OK { return code }
        }
        var code = unsafe open(below, path, file, flags, out)
        guard code == SQLITE_OK else { return code }
        code = unsafe syncName(of: path)
        // Without its name the journal protects nothing. SQLite itself would go on.
        if code != SQLITE_OK, let methods = unsafe file.pointee.pMethods {
            _ = unsafe methods.pointee.xClose(file)
            unsafe file.pointee.pMethods = nil
        }
        return code
    }

    /// Whether the path names something that is not a file.
    private func isOther(_ path: UnsafePointer<CChar>) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Whether the path names the journal whose name is on the disk.
    private func isDurable(_ path: UnsafePointer<CChar>) -> Bool {
        var (named, held) = (stat(), stat())
        guard journal >= 0, unsafe lstat(path, &named) == 0, unsafe fstat(journal, &held) == 0 else {
            return false
        }
        return named.st_dev == held.st_dev && named.st_ino == held.st_ino
    }

    /// Syncs the directory of a journal, and holds the journal open.
    ///
    /// - Returns: a result code of SQLite.
    private func syncName(of path: UnsafePointer<CChar>) -> Int32 {
        if journal >= 0 { _ = close(journal) }
        journal = -1
        let text = unsafe String(cString: path)
        let directory = Self.openFile(text.directoryPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return SQLITE_CANTOPEN }
        defer { _ = close(directory) }
        // SQLITE_IOERR_DIR_FSYNC, a macro that Swift does not import.
        guard fsync(directory) == 0 else { return SQLITE_IOERR | 5 << 8 }
        journal = Self.openFile(text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        // If it cannot be held open, the next transaction syncs the directory again.
        return SQLITE_OK
    }

    private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
        unsafe GatewayLibC.open(path, flags)
    }
}
