import GatewayCore
private import GatewayLibC
import GatewaySQLite

extension QueueFile {
    /// Replaces a damaged file by a new one with all readable rows. The damaged file is kept under another name.
    ///
    /// The path names one of the two files at every moment. Other connections are locked out until the returned
    /// connection to the damaged file is closed; after that they detect that the path names another file.
    ///
    /// - Parameter identity: the damaged file.
    /// - Returns: `nil` if the path names another file already, or if the file is not one of a queue.
    /// - Throws: ``QueueError``, also if a read or write fails temporarily. Then the files are unchanged.
    func recover(
        _ identity: Identity, bodies: QueueBodies
    ) throws(QueueError) -> (recovery: QueueRecovery, damaged: SQLiteConnection)? {
        let new = path + ".recovery"
        do throws(SQLiteError) {
            guard self.identity == identity else { return nil }
            let damaged = try SQLiteConnection(path: path, isReadOnly: false, fileSystem: fileSystem)
            try damaged.lockFile(within: Self.busyTimeout)
            guard self.identity == identity else { return nil }
            // The rest of an interrupted recovery.
            for suffix in ["", "-journal"] { _ = unsafe unlink(new + suffix) }
            defer { for suffix in ["", "-journal"] { _ = unsafe unlink(new + suffix) } }
            try readJournal()
            guard let recovery = try copy(from: damaged, to: new, bodies) else { return nil }
            let kept = try keepDamaged()
            guard unsafe rename(new, path) == 0 else {
                _ = unsafe rename(kept + "-journal", path + "-journal")
                _ = unsafe unlink(kept)
                throw .cannotOpen
            }
            do throws(QueueError) { try syncDirectory() } catch { throw .syncFailure }
            return (
                QueueRecovery(recovered: recovery.recovered, lost: recovery.lost, damagedPath: kept), damaged
            )
        } catch { throw error.queueError }
    }

    private func copy(
        from damaged: SQLiteConnection, to new: String, _ bodies: QueueBodies
    ) throws(SQLiteError) -> (recovered: Int, lost: Int?)? {
        let target = QueueFile(path: new, fileSystem: fileSystem, start: start, kind: kind)
        let opened: Opened
        do throws(Failure) { opened = try target.connect() } catch {
            if case .sqlite(let error) = error { throw error }
            throw .cannotOpen
        }
        let connection = opened.connection
        return try connection.transaction { () throws(SQLiteError) in
            let table = QueueTable(connection: connection, bodies: bodies)
            var salvage = try QueueSalvage(damaged, into: table)
            guard try salvage.run() else { return nil }
            try table.saveMeta()
            return (salvage.recovered, salvage.lost)
        }
    }

    /// Reads the journal, if there is one. If the journal temporarily cannot be read, the file may be intact with it.
    private func readJournal() throws(SQLiteError) {
        let descriptor = unsafe open(path + "-journal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw .cannotOpen
        }
        defer { _ = close(descriptor) }
        do throws(SystemFailure) {
            while try !FileBytes.readPart(of: descriptor, upToBytes: 65_536).isEmpty {}
        } catch { throw .cannotOpen }
    }

    /// Gives the damaged file and its journal second, unused names.
    private func keepDamaged() throws(SQLiteError) -> String {
        for number in 1...1_000 {
            let kept = "\(path).damaged-\(number)"
            guard unsafe link(path, kept) == 0 else {
                if errno == EEXIST { continue }
                throw .cannotOpen
            }
            // A journal that could not be rolled back belongs to the damaged file, never to the new one.
            var status = stat()
            if unsafe lstat(path + "-journal", &status) == 0, status.st_size > 0 {
                guard unsafe rename(path + "-journal", kept + "-journal") == 0 else {
                    _ = unsafe unlink(kept)
                    throw .cannotOpen
                }
            }
            return kept
        }
        throw .cannotOpen
    }
}
