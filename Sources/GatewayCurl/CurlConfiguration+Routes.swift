public import GatewayCore

extension CurlConfiguration {
    /// The proxy for requests to an origin; `nil` for loopback origins and for hosts in `plainHTTP`. Why: plain HTTP
    /// with credentials is allowed only if the traffic does not pass another machine.
    func proxy(for origin: Origin) -> Proxy? {
        // Credentials over plain HTTP must not reach the machine of the proxy.
        origin.isLoopback || origin.scheme == .http && plainHTTP.covers(origin) ? nil : proxy
    }

    /// An HTTP proxy. Requests to `http` origins are forwarded, requests to `https` origins use a tunnel (`CONNECT`,
    /// RFC 9110 §9.3.6).
    public struct Proxy: Hashable, Sendable {
        /// The host name or address of the proxy; an IPv6 address in brackets.
        public var host: String
        /// The proxy's port.
        public var port: UInt16
        /// The user name for the proxy (Basic, RFC 7617). It is sent only to the proxy.
        public var username: String?
        /// The password of the user.
        public var password: Secret?

        /// Creates a proxy.
        public init(host: String, port: UInt16, username: String? = nil, password: Secret? = nil) {
            self.host = host
            self.port = port
            self.username = username
            self.password = password
        }
    }

    /// IP addresses that are used for a host and port instead of DNS results.
    public struct Resolution: Hashable, Sendable {
        /// The host name.
        public var host: String
        /// The port.
        public var port: UInt16
        /// IP addresses, tried in order; IPv6 in brackets.
        public var addresses: [String]

        /// Creates a resolution.
        public init(host: String, port: UInt16, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    /// A host and port to connect to instead of another one. The request, its `Host` field and the host name that the
    /// certificate must match are unchanged.
    public struct Detour: Hashable, Sendable {
        /// The host of the requests.
        public var host: String
        /// The port of the requests.
        public var port: UInt16
        /// The host to connect to.
        public var toHost: String
        /// The port to connect to.
        public var toPort: UInt16

        /// Creates a detour.
        public init(host: String, port: UInt16, toHost: String, toPort: UInt16) {
            self.host = host
            self.port = port
            self.toHost = toHost
            self.toPort = toPort
        }
    }
}
