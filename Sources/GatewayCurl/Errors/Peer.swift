import GatewayCore

/// The peer of a transfer, for error messages. Created only for errors.
struct Peer {
    /// The origin's host and port.
    let server: String
    /// The host and port of the proxy, if the connection goes through one.
    let proxy: String?
    /// Whether the proxy is used with a tunnel to the origin (`CONNECT`, RFC 9110 §9.3.6).
    let isTunnel: Bool
    /// The endpoint of the connection: the origin's host and port, or the detour, proxy or socket that replaces it.
    let endpoint: String
    /// The name that is resolved for connecting.
    let resolved: String
    /// The source of the CA certificates.
    var trust: Trust

    /// The possible sources of CA certificates.
    enum Trust {
        /// A configured file.
        case file
        /// The file of the system.
        case system
        /// None, as in images without the package ca-certificates.
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
