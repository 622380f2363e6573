/// The connection that an attempt used.
public final class ConnectionInfo: Hashable, Sendable {
    /// A version of HTTP. The raw value is that of `network.protocol.version` in OpenTelemetry.
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

    /// The version of HTTP; `nil` before a response or a request settled it.
    public let version: HTTPVersion?
    /// The IP address of the peer, which is the proxy's with a proxy; `nil` over a Unix domain socket.
    public let address: String?
    /// The port of the peer; `nil` over a Unix domain socket.
    public let port: Int?

    /// Creates a description of a connection.
    public init(version: HTTPVersion?, address: String?, port: Int?) {
        self.version = version
        self.address = address
        self.port = port
    }

    /// Compares all parts.
    public static func == (a: ConnectionInfo, b: ConnectionInfo) -> Bool {
        a.version == b.version && a.address == b.address && a.port == b.port
    }

    /// Feeds what `==` compares into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(address)
        hasher.combine(port)
    }
}
