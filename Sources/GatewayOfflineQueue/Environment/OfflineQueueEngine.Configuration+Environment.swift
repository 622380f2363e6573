extension OfflineQueueEngine.Configuration {
    /// Reads the configuration from environment variables.
    ///
    /// | Variable | Values | Meaning | Default |
    /// |---|---|---|---|
    /// | `GATEWAY_QUEUE_CONCURRENCY` | 1 to 1,000 | the requests that are sent at the same time | `4` |
    /// | `GATEWAY_QUEUE_COUNT` | 1 or more | the maximum number of entries | `10000` |
    /// | `GATEWAY_QUEUE_BYTES` | 1 or more | the maximum size of all entries, in bytes | `268435456` |
    /// | `GATEWAY_QUEUE_POLICY` | `refuse`, `drop-oldest` or `drop-lowest` | what happens to a new entry above a limit | `refuse` |
    ///
    /// An empty value is treated as not set.
    ///
    /// - Parameter variables: the variables; `nil` for those of the process.
    /// - Throws: ``QueueError`` with the code ``QueueError/Code/invalid``; its property is the name of the variable.
    public static func environment(_ variables: [String: String]? = nil) throws(QueueError) -> Self {
        let variables = QueueVariables(given: variables)
        var configuration = Self()
        if let number = try variables.number("GATEWAY_QUEUE_CONCURRENCY", 1...1_000) {
            configuration.concurrency = number
        }
        if let count = try variables.number("GATEWAY_QUEUE_COUNT", 1...Int.max) {
            configuration.limits.count = count
        }
        if let bytes = try variables.number("GATEWAY_QUEUE_BYTES", 1...Int.max) {
            configuration.limits.bytes = bytes
        }
        switch variables.text("GATEWAY_QUEUE_POLICY") {
        case nil: break
        case "refuse": configuration.limits.policy = .refuse
        case "drop-oldest": configuration.limits.policy = .dropOldest
        case "drop-lowest": configuration.limits.policy = .dropLowest
        default:
            throw .invalid("GATEWAY_QUEUE_POLICY", "must be refuse, drop-oldest or drop-lowest")
        }
        return configuration
    }
}
