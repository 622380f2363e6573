extension HTTPListener {
    /// Where a listener listens. Other machines cannot connect.
    package enum Address: Hashable, Sendable, CustomStringConvertible {
        /// A port of 127.0.0.1; 0 for any free one. Every user of the machine can connect.
        case loopback(port: UInt16)
        /// A Unix domain socket, which only the user of the process can connect to (mode 0600). A socket that a
        /// process has left behind is replaced. The file is removed when the listener stops.
        case unix(path: String)

        package var description: String {
            switch self {
            case .loopback(let port): "127.0.0.1:\(port)"
            case .unix(let path): path
            }
        }
    }

    /// The configuration of a listener. The defaults are suitable for a page that a few people look at.
    package struct Configuration: Sendable {
        /// The addresses.
        package var addresses: [Address]
        /// The number of threads for connections, at least 1.
        package var threads = 1
        /// The maximum number of open connections of each thread. Further ones are closed immediately.
        package var connectionsPerThread = 64
        /// How long a connection may transfer nothing before it is closed, in whole seconds: an idle client, or one
        /// that does not read. `nil` for no limit. Suspended requests have none.
        package var idleLimit: Duration? = .seconds(30)
        /// The maximum content size of a request, in bytes. Larger requests get a 413 response.
        package var maximumRequestBytes = 64 << 10

        package init(addresses: [Address]) { self.addresses = addresses }
    }
}
