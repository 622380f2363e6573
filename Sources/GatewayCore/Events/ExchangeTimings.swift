/// The durations and sizes of one exchange on the wire. Each phase is measured by itself, not from the beginning.
public struct ExchangeTimings: Hashable, Sendable {
    /// Whether a connection was used again; it has no times of its own, so that nobody takes their absence for speed.
    public var isReused = false
    /// The protocol and the peer; `nil` if no connection was made.
    public var connection: ConnectionInfo?
    /// Waiting for a connection to be free.
    public var queue = Duration.zero
    /// Resolving the name; `nil` on a connection used again and where it was not reached.
    public var resolve: Duration?
    /// Connecting; `nil` on a connection used again and where it was not reached.
    public var connect: Duration?
    /// The TLS handshake; `nil` without TLS, on a connection used again and where it was not reached.
    public var tls: Duration?
    /// From the request's first byte to the response's first; `nil` where none came.
    public var firstByte: Duration?
    /// From the response's first byte to its end; `nil` where none came. Of a stream the reader's time as well.
    public var receive: Duration?
    /// All of it.
    public var total = Duration.zero
    /// The bytes of the request's content that were sent.
    public var sentBytes: Int64 = 0
    /// The bytes of the response's content as they came, compressed if they were.
    public var receivedBytes: Int64 = 0
    /// The state of the TCP connection at the end; `nil` over a Unix domain socket, and where there is none any more.
    /// With a proxy it is the connection to the proxy.
    public var tcp: TCPSample?

    /// Makes an account of nothing.
    public init() {}
}
