package import GatewayCore

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
        /// The maximum number of open connections of each thread. Further ones are closed immediately, unless they replace others.
        package var connectionsPerThread = 64
        /// Whether a connection beyond the limit replaces the oldest one that has no stream, so that clients that hold
        /// connections and send nothing keep nobody out. Only with one thread.
        package var replacesConnections = false
        /// The buffer of the system for what a client has not read, in bytes; `nil` for the system's choice, which can be some
        /// MiB. Frames in it are old when they are read.
        package var sendBufferBytes: Int?
        /// How long a connection may transfer nothing before it is closed, in whole seconds: an idle client, or one
        /// that does not read. The whole header of a request has to come in this time. `nil` for no limit. Suspended requests
        /// have none.
        package var idleLimit: Duration? = .seconds(30)
        /// The clock of the limit for headers.
        package var clock: any GatewayClock = SystemClock()
        /// The maximum content size of a request, in bytes. Larger requests get a 413 response; with 0, before their content.
        package var maximumRequestBytes = 64 << 10

        package init(addresses: [Address]) { self.addresses = addresses }
    }
}
