public import GatewayCore

/// A redirect URI on this machine, to which the browser is redirected after a sign-in (RFC 8252 §7.3).
///
/// ```swift
/// let redirect = try LoopbackRedirect("http://localhost:8400/oauth2/callback")
/// ```
/// It must be the URI that is registered for the client. Servers that follow RFC 8252 ignore the port of a
/// loopback address: register `http://127.0.0.1/callback` there and use the default, which uses a free port.
/// Servers that compare redirect URIs exactly require a fixed port.
///
/// The socket listens on loopback addresses only. With the name `localhost` it listens on 127.0.0.1 and
/// `[::1]`, because browsers use either. The host and the path are sent to the server exactly as given here.
public struct LoopbackRedirect: Hashable, Sendable {
    /// The hosts that a redirect URI may have.
    enum Host: String, CaseIterable, Sendable {
        case ipv4 = "127.0.0.1"
        case ipv6 = "[::1]"
        case localhost
    }

    let host: Host
    /// 0 for a free port.
    let port: UInt16
    /// Empty, or with a leading slash.
    let path: String

    /// `http://127.0.0.1/callback` with a free port.
    public init() {
        host = .ipv4
        port = 0
        path = "/callback"
    }

    /// Parses a redirect URI.
    ///
    /// - Parameter uri: `http://`, then `127.0.0.1`, `[::1]` or `localhost`, then an optional port and path.
    ///   Without a port, or with port 0, each sign-in uses a free port. A query and a fragment are not
    ///   allowed.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `invalidURL`.
    public init(_ uri: String) throws(NetworkError) {
        guard let parts = Self.parse(uri) else {
            throw NetworkError(
                .invalidURL,
                "A loopback redirect URI is http://127.0.0.1, http://[::1] or http://localhost, with an optional "
                    + "port and path, and without a query.")
        }
        (host, port, path) = parts
    }

    private static func parse(_ uri: String) -> (Host, UInt16, String)? {
        let scheme = "http://"
        guard uri.hasPrefix(scheme) else { return nil }
        let rest = uri.dropFirst(scheme.utf8.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let (authority, path) = (rest[..<slash], String(rest[slash...]))
        guard let host = Host.allCases.first(where: { authority.hasPrefix($0.rawValue) }),
            path.isEmpty || HTTPSyntax.isOriginFormTarget(path.utf8), !path.contains("?")
        else { return nil }
        let port = authority.dropFirst(host.rawValue.utf8.count)
        if port.isEmpty { return (host, 0, path) }
        guard port.first == ":", port.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(port.dropFirst())
        else { return nil }
        return (host, number, path)
    }

    /// The URI that is sent to the server.
    ///
    /// - Parameter port: the listening port.
    func uri(port: UInt16) -> String { "http://\(host.rawValue):\(port)\(path)" }
}
