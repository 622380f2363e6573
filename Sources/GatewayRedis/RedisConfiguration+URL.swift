public import GatewayCore

extension RedisConfiguration {
    /// Reads where a server is: `redis://[user@]host[:port][/database]`, or `unix:/path/of/a/socket`.
    ///
    /// - Parameters:
    ///   - url: the URL. It holds no password: URLs end up in logs.
    ///   - password: the user's; `nil` for none.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL` for anything else. `rediss` is TLS, which
    ///   hiredis 0.14 does not speak.
    public init(url: String, password: Secret? = nil) throws(NetworkError) {
        let failure = NetworkError(
            .invalidURL,
            "A Redis URL has the form redis://[user@]host[:port][/database]; set the password separately.")
        self.init()
        self.password = password
        if url.hasPrefix("unix:/") {
            let path = url.dropFirst("unix:".count)
            socketPath = String(path.hasPrefix("//") ? path.dropFirst(2) : path)
            guard socketPath?.hasPrefix("/") == true else { throw failure }
            return
        }
        guard url.hasPrefix("redis://"), !url.contains(where: { "?#%".contains($0) }) else { throw failure }
        let parts = url.dropFirst("redis://".count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        var place = parts[0]
        if let at = place.lastIndex(of: "@") {
            let user = place[..<at]
            guard !user.isEmpty, !user.contains(where: { ":@".contains($0) }) else { throw failure }
            username = String(user)
            place = place[place.index(after: at)...]
        }
        // The rules for hosts and ports are those of any origin.
        guard let origin = try? Origin("http://\(place)") else { throw failure }
        host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
        port = place.hasSuffix("]") || !place.contains(":") ? 6379 : origin.port
        if parts.count == 2, !parts[1].isEmpty {
            guard let database = Int(parts[1]), database >= 0 else { throw failure }
            self.database = database
        }
    }
}
