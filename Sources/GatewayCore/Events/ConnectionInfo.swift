/// The connection that an attempt used.
public final class ConnectionInfo: Hashable, Sendable {
    /// An HTTP version. The raw value is the value of `network.protocol.version` in OpenTelemetry.
    @nonexhaustive
    public enum HTTPVersion: String, Hashable, Sendable {
        /// HTTP/1.0.
        case http1_0 = "1.0"
        /// HTTP/1.1.
        case http1_1 = "1.1"
        /// HTTP/2.
        case http2 = "2"
        /// HTTP/3.
        case http3 = "3"
    }

    /// The HTTP version; `nil` if it is not known yet.
    public let version: HTTPVersion?
    /// The IP address of the peer, or of the proxy; `nil` for a Unix domain socket.
    public let address: String?
    /// The port of the peer; `nil` for a Unix domain socket.
    public let port: Int?

    /// Creates a description of a connection.
    public init(version: HTTPVersion?, address: String?, port: Int?) {
        self.version = version
        self.address = address
        self.port = port
    }

    /// Compares all properties.
    public static func == (a: ConnectionInfo, b: ConnectionInfo) -> Bool {
        a.version == b.version && a.address == b.address && a.port == b.port
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(address)
        hasher.combine(port)
    }
}
