public import GatewayCore

extension CurlConfiguration {
    /// The proxy for requests to an origin. Loopback origins have none: in clear text a request to one would reach the
    /// proxy's machine, though it is allowed only because it stays on this one.
    func proxy(for origin: Origin) -> Proxy? { origin.isLoopback ? nil : proxy }

    /// An HTTP proxy: requests to `http` go through it, for `https` it is asked for a tunnel (RFC 9110 §9.3.6).
    public struct Proxy: Hashable, Sendable {
        /// The proxy's name or address; an IPv6 address in brackets.
        public var host: String
        /// The proxy's port.
        public var port: UInt16
        /// Who we are to the proxy (Basic, RFC 7617); it goes to nobody else.
        public var username: String?
        /// The password that goes with the name.
        public var password: Secret?

        /// Makes one.
        public init(host: String, port: UInt16, username: String? = nil, password: Secret? = nil) {
            self.host = host
            self.port = port
            self.username = username
            self.password = password
        }
    }

    /// Addresses to use for a name in place of what DNS says.
    public struct Resolution: Hashable, Sendable {
        /// The name.
        public var host: String
        /// The port it is for.
        public var port: UInt16
        /// IP addresses, tried in turn; IPv6 in brackets.
        public var addresses: [String]

        /// Makes one.
        public init(host: String, port: UInt16, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    /// Another place to connect to for a host and port. The request, its `Host` field and the name that the
    /// certificate must have stay the same.
    public struct Detour: Hashable, Sendable {
        /// The host that requests name.
        public var host: String
        /// The port that requests name.
        public var port: UInt16
        /// Where to connect.
        public var toHost: String
        /// The port to connect to.
        public var toPort: UInt16

        /// Makes one.
        public init(host: String, port: UInt16, toHost: String, toPort: UInt16) {
            self.host = host
            self.port = port
            self.toHost = toHost
            self.toPort = toPort
        }
    }
}
