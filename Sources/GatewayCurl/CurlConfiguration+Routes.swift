public import GatewayCore

extension CurlConfiguration {
    /// The proxy for requests to an origin; `nil` for loopback origins. Why: clear text to them is allowed only because it
    /// stays on this machine.
    func proxy(for origin: Origin) -> Proxy? {
        // Credentials in clear text must not reach the proxy's machine.
        origin.isLoopback || origin.scheme == .http && plainHTTP.covers(origin) ? nil : proxy
    }

    /// An HTTP proxy. It forwards requests to `http` origins and opens tunnels to `https` origins (RFC 9110 §9.3.6).
    public struct Proxy: Hashable, Sendable {
        /// The host name or address of the proxy; an IPv6 address in brackets.
        public var host: String
        /// The proxy's port.
        public var port: UInt16
        /// The user name for the proxy (Basic, RFC 7617); it is sent only to the proxy.
        public var username: String?
        /// The password of the user.
        public var password: Secret?

        /// Makes an instance of these parts.
        public init(host: String, port: UInt16, username: String? = nil, password: Secret? = nil) {
            self.host = host
            self.port = port
            self.username = username
            self.password = password
        }
    }

    /// Addresses that replace the results of DNS for a host and port.
    public struct Resolution: Hashable, Sendable {
        /// The host name.
        public var host: String
        /// The port.
        public var port: UInt16
        /// IP addresses, tried in order; IPv6 in brackets.
        public var addresses: [String]

        /// Makes an instance of these parts.
        public init(host: String, port: UInt16, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    /// A host and port to connect to in place of another one. The request, its `Host` field and the host name that the
    /// certificate must match stay the same.
    public struct Detour: Hashable, Sendable {
        /// The host of the requests.
        public var host: String
        /// The port of the requests.
        public var port: UInt16
        /// The host to connect to.
        public var toHost: String
        /// The port to connect to.
        public var toPort: UInt16

        /// Makes an instance of these parts.
        public init(host: String, port: UInt16, toHost: String, toPort: UInt16) {
            self.host = host
            self.port = port
            self.toHost = toHost
            self.toPort = toPort
        }
    }
}
