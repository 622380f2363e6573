extension SQLiteQueueStore {
    /// The path in the variable `GATEWAY_QUEUE_FILE`, or ``defaultPath()`` if it is not set or empty.
    ///
    /// - Parameter variables: the variables; `nil` for those of the process.
    /// - Throws: ``QueueError`` as ``defaultPath()``; with the property `GATEWAY_QUEUE_FILE` if its value is not an
    ///   absolute path, or if it is not set and there is no default.
    public static func environmentPath(_ variables: [String: String]? = nil) throws(QueueError) -> String {
        let variables = QueueVariables(given: variables)
        if let path = try givenPath(variables) { return path }
        return try naming { () throws(QueueError) in try defaultPath { variables.text($0) } }
    }

    /// The same path, without creating directories.
    package static func environmentLocation() throws(QueueError) -> String {
        let variables = QueueVariables(given: nil)
        if let path = try givenPath(variables) { return path }
        return try naming { () throws(QueueError) in try defaultLocation { variables.text($0) } }
    }

    private static func givenPath(_ variables: QueueVariables) throws(QueueError) -> String? {
        guard let path = variables.text("GATEWAY_QUEUE_FILE") else { return nil }
        guard path.hasPrefix("/"), !path.hasSuffix("/") else {
            throw .invalid("GATEWAY_QUEUE_FILE", "must be the absolute path of a file")
        }
        return path
    }

    /// Runs the function. An error about the path names the variable instead.
    private static func naming(_ path: () throws(QueueError) -> String) throws(QueueError) -> String {
        do { return try path() } catch {
            guard error.property == "path" else { throw error }
            throw .invalid(
                "GATEWAY_QUEUE_FILE", "must be set: neither XDG_STATE_HOME nor HOME is an absolute path")
        }
    }
}
