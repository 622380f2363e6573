import GatewayCore

/// The tables of a file.
enum QueueSchema {
    /// "GWqu": distinguishes the files from those of other programs.
    static let application: Int64 = 0x4757_7175
    /// The version of the schema.
    static let version: Int64 = 1
    /// The size of a page of the file.
    static let pageBytes = 4_096

    /// The SQL of the tables and indexes, as SQLite stores it. A changed text can change the effect of a
    /// statement without an error.
    static let definitions: [String] = {
        var all: [String] = []
        var isDefinition = false
        for line in sql.split(separator: "\n") {
            if let first = line.first, first != " ", first != "E" {
                isDefinition = line.hasPrefix("CREATE")
                if isDefinition { all.append(String(line)) }
            } else if isDefinition, let last = all.popLast() {
                all.append("\(last)\n\(line)")
            }
        }
        // Without the semicolon.
        return all.map { $0.hasSuffix(";") ? String($0.dropLast()) : $0 }
    }()

    /// The states are numbers of ``QueueEntry/State-swift.struct``: up to 2 they are pending; up to 4 there
    /// is no attempt in progress, except for runs; up to 5, except 4, they are active; from 6 they are
    /// final.
    ///
    /// An attempt updates few indexes: those of waiting entries contain no leased ones.
    ///
    /// - `entry` contains no bodies, so that entries are listed without reading them.
    /// - `body` contains the bodies without a separate file, until their entries are final.
    /// - `meta` has a single row (``QueueMeta``). Entries in its runs are leased, although their rows have
    ///   the state waiting.
    /// - `gone` contains final entries whose file may not have been removed yet.
    static let sql = """
        CREATE TABLE meta (bytes BLOB NOT NULL);
        INSERT INTO meta VALUES (x'\(QueueMeta().encoded.hexadecimal)');
        CREATE TABLE parked (account TEXT PRIMARY KEY);
        CREATE TABLE gone (id INTEGER PRIMARY KEY);
        CREATE TABLE body (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY, state INTEGER NOT NULL, priority INTEGER NOT NULL, account TEXT,
            keyDigest INTEGER NOT NULL, deduplication TEXT, ordering TEXT, size INTEGER NOT NULL,
            file INTEGER NOT NULL, stored INTEGER NOT NULL, expires INTEGER NOT NULL, changed INTEGER NOT NULL,
            notBefore INTEGER, firstSent INTEGER, firstAttempt INTEGER NOT NULL, repeatEnd INTEGER,
            attempts INTEGER NOT NULL, owner INTEGER, reason TEXT, head BLOB NOT NULL,
            origin TEXT NOT NULL
            );
        CREATE INDEX entry_state ON entry (state, priority, id) WHERE state <= 4;
        CREATE INDEX entry_leased ON entry (owner) WHERE state = 5;
        CREATE INDEX entry_due ON entry (notBefore) WHERE state = 1;
        CREATE INDEX entry_repeat ON entry (repeatEnd) WHERE state = 0 AND repeatEnd IS NOT NULL;
        CREATE INDEX entry_expires ON entry (expires) WHERE state <= 2;
        CREATE INDEX entry_final ON entry (changed) WHERE state >= 6;
        CREATE INDEX entry_key ON entry (keyDigest);
        CREATE INDEX entry_deduplication ON entry (deduplication, state) WHERE deduplication IS NOT NULL;
        CREATE INDEX entry_ordering ON entry (ordering, account, id) WHERE ordering IS NOT NULL AND state <= 5 AND state <> 4;
        CREATE INDEX entry_account ON entry (account) WHERE account IS NOT NULL;
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """
}
