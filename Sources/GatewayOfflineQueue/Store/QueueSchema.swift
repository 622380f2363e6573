/// The tables of a file.
enum QueueSchema {
    /// "GWqu": tells our files from those of other programs.
    static let application: Int64 = 0x4757_7175
    /// The version of the schema.
    static let version: Int64 = 1
    /// The size of a page of the file.
    static let pageBytes = 2_048

    /// The texts of the tables, indexes and triggers, as SQLite keeps them. A changed text can change what a statement does
    /// without making it wrong.
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

    /// The states are numbers of ``QueueEntry/State-swift.struct``: up to 4 they are active, from 6 on they are final.
    ///
    /// - `entry` has no bodies, so that entries are listed without reading them.
    /// - `body` has the bodies that are in no file of their own, until their entries are final.
    /// - `total` has the number and the size of the entries in each state.
    /// - `gone` has final entries whose file may not have been removed yet.
    static let sql = """
        CREATE TABLE meta (newest INTEGER NOT NULL, lastID INTEGER NOT NULL, checksum INTEGER NOT NULL);
        INSERT INTO meta VALUES (-9223372036854775808, 0, \(QueueMeta().checksum));
        CREATE TABLE parked (account TEXT PRIMARY KEY);
        CREATE TABLE total (state INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO total VALUES (0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0), (6, 0, 0),
            (7, 0, 0), (8, 0, 0), (9, 0, 0), (10, 0, 0);
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
        CREATE INDEX entry_state ON entry (state, priority, id);
        CREATE INDEX entry_due ON entry (notBefore) WHERE state = 1;
        CREATE INDEX entry_owner ON entry (owner) WHERE state = 2;
        CREATE INDEX entry_repeat ON entry (repeatEnd) WHERE state = 0 AND repeatEnd IS NOT NULL;
        CREATE INDEX entry_expires ON entry (expires) WHERE state <= 4;
        CREATE INDEX entry_final ON entry (changed) WHERE state >= 6;
        CREATE INDEX entry_key ON entry (keyDigest);
        CREATE INDEX entry_deduplication ON entry (deduplication, state) WHERE deduplication IS NOT NULL;
        CREATE INDEX entry_ordering ON entry (ordering, account, id) WHERE ordering IS NOT NULL AND state <= 4;
        CREATE INDEX entry_account ON entry (account) WHERE account IS NOT NULL;
        CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
            UPDATE total SET count = count + 1, bytes = bytes + new.size WHERE state = new.state;
        END;
        CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
            UPDATE total SET count = count - 1, bytes = bytes - old.size WHERE state = old.state;
            DELETE FROM body WHERE id = old.id;
            INSERT OR IGNORE INTO gone SELECT old.id WHERE old.file;
        END;
        CREATE TRIGGER entry_moved AFTER UPDATE OF state ON entry WHEN old.state <> new.state BEGIN
            UPDATE total SET count = count + iif(state = new.state, 1, -1),
                bytes = bytes + iif(state = new.state, new.size, -old.size) WHERE state IN (old.state, new.state);
        END;
        CREATE TRIGGER entry_ended AFTER UPDATE OF state ON entry WHEN new.state >= 6 AND old.state < 6 BEGIN
            DELETE FROM body WHERE id = new.id;
            INSERT OR IGNORE INTO gone SELECT new.id WHERE new.file;
        END;
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """
}
