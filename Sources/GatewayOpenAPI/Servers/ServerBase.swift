internal import GatewayCore

/// A server's URL, parsed once.
struct ServerBase: Sendable {
    /// With the path for texts, ``GatewayCore/Origin/basePath``.
    let origin: Origin
    /// The path prefix of all operations, without a trailing slash.
    let path: String

    init(_ url: String) throws(NetworkError) {
        let parsed: ParsedURL
        do throws(NetworkError) {
            parsed = try ParsedURL(url)
        } catch {
            throw NetworkError(error.code, "The server's URL cannot be used. \(error.message)")
        }
        try self.init(parsed)
    }

    init(_ parsed: ParsedURL) throws(NetworkError) {
        guard !parsed.target.utf8.contains(UInt8(ascii: "?")) else {
            throw NetworkError(.invalidURL, "A server URL must not have a query.", origin: parsed.origin)
        }
        var path = parsed.target
        while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = path
        origin = parsed.origin.with(basePath: OperationReply.shown(path))
    }
}
