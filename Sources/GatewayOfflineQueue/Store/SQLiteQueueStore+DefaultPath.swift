private import GatewayLibC

extension SQLiteQueueStore {
    /// The path of the user's queue: `gateway/queue.sqlite` in `$XDG_STATE_HOME`, or in `~/.local/state` if
    /// the variable is not set, not an absolute path, or not UTF-8 (XDG Base Directory Specification).
    /// Missing directories are created with mode 0700.
    ///
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/invalid`` and the property `path` if there
    ///   is no home directory, or ``QueueError/Code/unavailable`` if a directory cannot be created.
    public static func defaultPath() throws(QueueError) -> String {
        try defaultPath { name in unsafe getenv(name).flatMap { unsafe String(validatingCString: $0) } }
    }

    static func defaultPath(_ variable: (String) -> String?) throws(QueueError) -> String {
        let path = try defaultLocation(variable)
        var made = ""
        for name in path.split(separator: "/").dropLast() {
            made += "/\(name)"
            guard unsafe mkdir(made, 0o700) == 0 || errno == EEXIST || access(made, X_OK) == 0 else {
                throw QueueError(.unavailable, "The directory of the queue cannot be made (errno \(errno)).")
            }
        }
        return path
    }

    /// The same path, without creating directories.
    static func defaultLocation(_ variable: (String) -> String?) throws(QueueError) -> String {
        if let given = variable("XDG_STATE_HOME"), given.hasPrefix("/") {
            return given + "/gateway/queue.sqlite"
        }
        guard let home = variable("HOME"), home.hasPrefix("/") else {
            throw .invalid("path", "must be given: neither XDG_STATE_HOME nor HOME is an absolute path")
        }
        return home + "/.local/state/gateway/queue.sqlite"
    }
}
