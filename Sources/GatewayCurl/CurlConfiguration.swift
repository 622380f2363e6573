public import GatewayCore

/// The configuration of a ``CurlTransport``.
public struct CurlConfiguration: Sendable {
    /// The timeouts of each exchange.
    public var timeouts = Timeouts.standard
    /// The maximum number of requests in progress for one origin, at least 1; over HTTP/1.1 each has its own
    /// connection. Default: 64, enough for 6,000 requests per second of 10 ms each.
    public var connectionsPerOrigin = 64
    /// The maximum number of requests in progress for all origins, and of open connections, including idle
    /// ones; at least 1. If it is reached, an idle connection is closed before another one is opened.
    /// Default: 256, well below the common limit of 1,024 file descriptors.
    public var connectionsInAll = 256
    /// The maximum number of requests that wait for a connection, 0 or more. Further requests fail with
    /// `NetworkError.overloaded`, except those that are repeated after a 401. Default: 16,384.
    public var waitingLimit = 16_384
    /// The number of I/O threads, 1 to 64. Default: 1, which handles about 80,000 small requests per second. With
    /// several threads, origins are distributed over them, and each thread has its share of `connectionsInAll` and
    /// `waitingLimit`; there are at most `connectionsInAll` threads. All requests to one origin use the same thread.
    public var loops = 1
    /// How long an idle connection can be reused, in whole seconds, at least 1. Default: 55 s. Why: gateways
    /// and load balancers close idle connections after 60 s or more, and a request that is sent at that
    /// moment is lost.
    public var maximumConnectionIdle = Duration.seconds(55)
    /// How long a connection can be reused after it was opened, in whole seconds, at least 1. Default: 300 s, so that DNS
    /// changes take effect.
    public var maximumConnectionAge = Duration.seconds(300)
    /// TCP keep-alive (RFC 9293 §3.8.4); `nil` disables it. It detects a lost peer on idle connections, and while a
    /// response is awaited.
    public var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()
    /// A PEM file with the CA certificates to trust instead of the system's. A change of the file takes effect after
    /// one second, or immediately with ``CurlTransport/dropIdleConnections()``: older connections and TLS sessions are
    /// not used again.
    public var caFile: String?
    /// The minimum TLS version. Default: 1.2. Older versions are insecure (RFC 8996).
    public var minimumTLSVersion = TLSVersion.tls12
    /// The client certificate for mutual TLS. Default: none.
    public var clientCertificate: ClientCertificate?
    /// The allowed public keys of servers: SHA-256 digests of their SubjectPublicKeyInfo in Base64 (RFC 7469 §2.4). A
    /// request to a server with another key fails with `NetworkError.pinningFailure`. Empty allows any key. The
    /// certificate must be trusted in both cases.
    public var pinnedKeys: [String] = []
    /// The proxy. Default: none; environment variables are ignored. Requests to loopback origins (`localhost`,
    /// 127.0.0.0/8, `[::1]`) do not use it, nor do plain HTTP requests to the hosts that an engine's configuration allows
    /// credentials for (`GatewayConfiguration.plainHTTP`): credentials over plain HTTP must not reach another machine.
    public var proxy: Proxy?
    /// The clock for timeouts and lifetimes of this library. The remaining time of a deadline is measured
    /// with the clock of the call when the request is submitted. libcurl always uses the system's clocks,
    /// for example for idle connections and cached addresses.
    package var clock: any GatewayClock = SystemClock()
    /// The hosts that may receive credentials over plain HTTP. Plain HTTP requests to them do not use the proxy.
    package var plainHTTP = PlainHTTPHosts.none

    /// The path of a Unix domain socket that is used for all requests, regardless of their host.
    public var unixSocketPath: String?
    /// IP addresses that are used instead of DNS results.
    public var resolutions: [Resolution] = []
    /// Hosts and ports to connect to instead of those of the requests.
    public var detours: [Detour] = []
    /// Whether responses may be compressed (gzip and deflate). They are decompressed on the I/O thread. Default:
    /// `false`, because most responses are small. Limits apply to decompressed bytes. A compressed stream that is not
    /// read holds up to 16 KiB of decompressed bytes in addition to its window. Incomplete compressed content fails
    /// with `NetworkError.truncated`, damaged content or another coding with `NetworkError.malformedResponse`.
    ///
    /// The response to a request with `Accept-Encoding` or `Range` is not decompressed.
    public var acceptsCompression = false
    /// The value of `User-Agent` if the request has none. If it is empty, no such field is sent.
    ///
    /// A value that ends with the product ` HTTP/1.1` (RFC 9110 §10.1.5) is faster: all fields are passed to libcurl at
    /// once, which saves a sixth of the processor time of a call with a bearer token. On an HTTP/2 connection this
    /// product may be sent as ` HTTP/2`.
    public var userAgent = "GatewayClient HTTP/1.1"
    /// The maximum size of the status line, header fields and trailer fields of a response, in bytes; at least 1.
    /// Default: 64 KiB.
    public var responseHeaderLimitBytes = 64 << 10
    /// The HTTP version. Default: HTTP/1.1.
    public var httpVersion = HTTPVersion.http1

    /// Creates a configuration with the default values.
    public init() {}

    /// The HTTP versions that can be used.
    @nonexhaustive
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/1.1.
        case http1
        /// HTTP/2 over TLS if the server supports it, otherwise HTTP/1.1. With libcurl before 8.0, a response without
        /// `Content-Length` fails with `NetworkError.truncated`, because truncation cannot be detected.
        case http2
    }
}

extension CurlConfiguration {
    /// The timeouts of one exchange. The deadline of the call also applies.
    ///
    /// If a limit is exceeded, the request fails with `NetworkError.timeout`. The `limit` of the error identifies the
    /// limit, and its message contains the value.
    public struct Timeouts: Hashable, Sendable {
        /// The wait for a free connection. Limit `queue`, with the code `NetworkError.overloaded`: nothing was sent.
        public var queue: Duration
        /// Name resolution, connecting and the TLS handshake together. Limit `connect`, phase `resolve`, `connect` or
        /// `tls`.
        public var connect: Duration
        /// From the last byte of the request to the first byte of the response. Limit `firstByte`.
        public var firstByte: Duration
        /// Between two parts of the response, not counting the time in which the reader of a stream is not reading.
        /// Limit `receive`.
        public var read: Duration
        /// Between two parts of the request body, not counting the time in which the stream of the body produces
        /// nothing. Limit `send`.
        public var write: Duration
        /// The whole exchange, including the wait for a connection. For a streamed response, until its header fields
        /// are received. Limit `attempt`.
        public var whole: Duration

        /// Creates timeouts. A value of zero or less is exceeded immediately.
        public init(
            queue: Duration, connect: Duration, firstByte: Duration, read: Duration, write: Duration,
            whole: Duration
        ) {
            self.queue = queue
            self.connect = connect
            self.firstByte = firstByte
            self.read = read
            self.write = write
            self.whole = whole
        }

        /// 10 s to connect, 30 s to read and to write, 60 s for the whole exchange. In all presets, the wait for a free
        /// connection has the same limit as connecting, and the wait for the first byte the same as reading.
        public static let standard = Timeouts(connect: 10, read: 30, write: 30, whole: 60)
        /// 5 s to connect, 15 s to read and to write, 30 s for the whole exchange: for interactive use.
        public static let fast = Timeouts(connect: 5, read: 15, write: 15, whole: 30)
        /// 30 s to connect, 120 s to read, 60 s to write, 180 s for the whole exchange: for slow networks and large
        /// transfers.
        public static let slow = Timeouts(connect: 30, read: 120, write: 60, whole: 180)
        /// 3 s to connect, 15 s to read and to write, 30 s for the whole exchange: for calls between services.
        public static let server = Timeouts(connect: 3, read: 15, write: 15, whole: 30)

        private init(connect: Int, read: Int, write: Int, whole: Int) {
            self.init(
                queue: .seconds(connect), connect: .seconds(connect), firstByte: .seconds(read),
                read: .seconds(read), write: .seconds(write), whole: .seconds(whole))
        }

        /// The same limits for a single call (``GatewayCore/CallOptions/limits``).
        public var limits: AttemptLimits {
            AttemptLimits(
                queue: queue, connect: connect, firstByte: firstByte, read: read, write: write, whole: whole)
        }

        /// Validates the timeouts: each must be greater than zero.
        ///
        /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`. The message contains the property.
        public func validate() throws(NetworkError) { try limits.validate() }
    }
}
