/// The durations and sizes of one exchange. The duration of each phase is measured separately, not from the start.
public struct ExchangeTimings: Hashable, Sendable {
    /// Whether an existing connection was used. Then the durations for connecting are `nil`.
    public var isReused = false
    /// The protocol and the peer; `nil` if there was no connection.
    public var connection: ConnectionInfo?
    /// The time waiting for a free connection.
    public var queue = Duration.zero
    /// The time for name resolution; `nil` on an existing connection and if it did not complete.
    public var resolve: Duration?
    /// The time for connecting; `nil` on an existing connection and if it did not complete.
    public var connect: Duration?
    /// The time for the TLS handshake; `nil` without TLS, on an existing connection, and if it did not complete.
    public var tls: Duration?
    /// The time from the first byte of the request to the first byte of the response; `nil` without a response.
    public var firstByte: Duration?
    /// The time from the first byte of the response to its end; `nil` without a response. For a stream it includes the
    /// time of the reader.
    public var receive: Duration?
    /// The total time.
    public var total = Duration.zero
    /// The number of content bytes that were sent.
    public var sentBytes: Int64 = 0
    /// The number of content bytes that were received, before decompression.
    public var receivedBytes: Int64 = 0
    /// The state of the TCP connection at the end; `nil` for a Unix domain socket, or if there is no connection any
    /// more. With a proxy it is the connection to the proxy.
    public var tcp: TCPSample?

    /// Creates empty timings.
    public init() {}
}
