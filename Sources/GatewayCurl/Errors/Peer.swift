import GatewayCore

/// What a transfer talks to, as error messages name it. Made when an error is made.
struct Peer {
    /// The origin's host and port.
    let server: String
    /// The host and port of the proxy, if the connection goes through one.
    let proxy: String?
    /// Whether the proxy is asked for a tunnel to the origin (RFC 9110 §9.3.6).
    let isTunnel: Bool
    /// What the connection is made to: the origin's host and port, or the detour, proxy or socket in its place.
    let endpoint: String
    /// The name that is resolved to connect.
    let resolved: String
    /// What the certificates of servers are checked with.
    var trust: Trust

    /// Where CA certificates come from.
    enum Trust {
        /// The configuration names a file.
        case file
        /// The system has a file.
        case system
        /// Neither, as in images without the package ca-certificates.
        case nothing
    }

    init(_ origin: Origin, _ configuration: CurlConfiguration) {
        server = origin.hostAndPort
        trust =
            configuration.caFile != nil
            ? .file : CurlLibrary.trustedCertificates != nil ? .system : .nothing
        let proxy = configuration.proxy(for: origin)
        self.proxy = proxy.map { "\($0.host):\($0.port)" }
        isTunnel = proxy != nil && origin.scheme == .https
        let detour = configuration.detours.first {
            $0.host.lowercased() == origin.host && $0.port == origin.port
        }
        if configuration.unixSocketPath != nil {
            (endpoint, resolved) = ("the Unix domain socket for \(server)", origin.host)
        } else if let proxy {
            (endpoint, resolved) = ("the proxy \(proxy.host):\(proxy.port)", proxy.host)
        } else if let detour {
            (endpoint, resolved) = (
                "\(detour.toHost):\(detour.toPort) (detour for \(server))", detour.toHost
            )
        } else {
            (endpoint, resolved) = (server, origin.host)
        }
    }
}
