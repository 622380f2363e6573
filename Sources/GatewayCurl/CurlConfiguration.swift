public import GatewayCore

/// The configuration of a ``CurlTransport``.
public struct CurlConfiguration: Sendable {
    /// The time limits of each exchange.
    public var timeouts = Timeouts.standard
    /// The maximum number of requests in progress to one origin, each on its own connection; 1 or more. Defaults to 64,
    /// enough for 6,000 requests per second of 10 ms each.
    public var connectionsPerOrigin = 64
    /// The maximum number of requests in progress in all, and of connections that are kept open; 1 or more. Defaults to
    /// 256, well below the 1,024 file descriptors that a process usually has.
    public var connectionsInAll = 256
    /// The maximum number of requests that wait for a connection, 0 or more; further requests fail with
    /// `NetworkError.overloaded`. Defaults to 16,384.
    public var waitingLimit = 16_384
    /// The number of I/O threads, 1 to 64. Defaults to 1, which carries about 80,000 small requests per second. With
    /// several threads, origins are distributed over them, and each thread has its share of `connectionsInAll` and
    /// `waitingLimit`; all requests to one origin use the same thread.
    public var loops = 1
    /// How long a connection may be idle and still be reused. Defaults to 55 s: gateways and load balancers close idle
    /// connections after 60 s or more, and a request that is sent at that moment is lost.
    public var maximumConnectionIdle = Duration.seconds(55)
    /// How long a connection is reused after it was opened. Defaults to 300 s, so that DNS changes take effect.
    public var maximumConnectionAge = Duration.seconds(300)
    /// TCP keep-alive (RFC 9293 §3.8.4); `nil` disables it. It detects a lost peer on idle connections, and during a
    /// request while the response has not arrived.
    public var tcpKeepAlive: TCPKeepAlive? {
        get { choices.tcpKeepAlive }
        set { choices.tcpKeepAlive = newValue }
    }
    /// A PEM file with the CA certificates to trust in place of the system's. A change of the file counts a second later, and
    /// at once after ``CurlTransport/dropIdleConnections()``: connections and sessions of TLS that were made before it are
    /// not used again.
    public var caFile: String?
    /// The minimum TLS version. Defaults to 1.2; older versions are not secure (RFC 8996).
    public var minimumTLSVersion: TLSVersion {
        get { choices.minimumTLSVersion }
        set { choices.minimumTLSVersion = newValue }
    }
    /// The client certificate for mutual TLS. Defaults to none.
    public var clientCertificate: ClientCertificate? {
        get { choices.clientCertificate }
        set { choices.clientCertificate = newValue }
    }
    /// The public keys that servers may have: SHA-256 digests of their SubjectPublicKeyInfo in base64 (RFC 7469 §2.4). A
    /// request to a server with another key fails with `NetworkError.pinningFailure`. Empty allows any key. The
    /// certificate must be trusted in both cases.
    public var pinnedKeys: [String] {
        get { choices.pinnedKeys }
        set { choices.pinnedKeys = newValue }
    }
    /// The proxy for requests. Defaults to none; the environment is not read. Requests to loopback origins
    /// (`localhost`, 127.0.0.0/8, `[::1]`) do not use it, because they may carry credentials in clear text.
    public var proxy: Proxy? {
        get { choices.proxy }
        set { choices.proxy = newValue }
    }
    /// The clock of the time limits, and of what this library keeps for a while. A deadline is what is left of it on the clock
    /// of its call when that comes here. libcurl's own clocks, such as those of idle connections and addresses of names, are
    /// always the system's.
    package var clock: any GatewayClock {
        get { choices.clock }
        set { choices.clock = newValue }
    }
    /// The hosts that are called over plain HTTP with credentials, and so never through the proxy.
    package var plainHTTP = PlainHTTPHosts.none

    /// The path of a Unix domain socket to connect to for every request, regardless of its host.
    public var unixSocketPath: String? {
        get { choices.unixSocketPath }
        set { choices.unixSocketPath = newValue }
    }
    /// Addresses that replace the results of DNS.
    public var resolutions: [Resolution] {
        get { choices.resolutions }
        set { choices.resolutions = newValue }
    }
    /// Hosts and ports to connect to in place of those of requests.
    public var detours: [Detour] {
        get { choices.detours }
        set { choices.detours = newValue }
    }
    /// Whether responses may be compressed (gzip and deflate); they are decompressed on the I/O thread. Defaults to
    /// `false`, because most responses are small. Limits count decompressed bytes. A compressed stream that is not read
    /// holds 16 KiB of decompressed bytes beyond its window. Compressed content that ends early fails with
    /// `NetworkError.truncated`, and damaged content or another coding with `NetworkError.malformedResponse`.
    ///
    /// The response to a request with `Accept-Encoding` or `Range` is not decompressed.
    public var acceptsCompression = false
    /// The value of `User-Agent` if the request has none; empty sends no such field.
    ///
    /// A value that ends in the product ` HTTP/1.1` (RFC 9110 §10.1.5) is faster: all fields are passed to libcurl at
    /// once, which saves a sixth of the processor time of a call with a bearer token. On a connection with HTTP/2 this
    /// product may be sent as ` HTTP/2`.
    public var userAgent = "GatewayClient HTTP/1.1"
    /// The maximum size of a response's status line, fields and trailers, in bytes. Defaults to 64 KiB.
    public var responseHeaderLimitBytes = 64 << 10
    /// The HTTP version.
    public var httpVersion = HTTPVersion.http1

    private var box = ChoicesBox(Choices())

    /// Makes a configuration with the defaults above.
    public init() {}

    /// The HTTP versions that are used.
    @nonexhaustive
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/1.1.
        case http1
        /// HTTP/2 over TLS if the server offers it, otherwise HTTP/1.1. With libcurl before 8.0, a response without
        /// `Content-Length` fails with `NetworkError.truncated`, because it may be incomplete without a sign of it.
        case http2
    }
}

extension CurlConfiguration {
    /// The time limits of one exchange. The deadline of a call applies as well.
    ///
    /// When a limit passes, the request fails with `NetworkError.timeout`. The error's `limit` tells which limit it was,
    /// and its message names the limit's value.
    public struct Timeouts: Hashable, Sendable {
        /// The wait for a free connection. Limit `queue`.
        public var queue: Duration
        /// Name resolution, connecting and the TLS handshake together. Limit `connect`, phase `resolve`,
        /// `connect` or `tls`.
        public var connect: Duration
        /// From the last byte of the request to the first byte of the response. Limit `firstByte`.
        public var firstByte: Duration
        /// Between two parts of the response. The time in which the reader of a stream takes nothing does not count.
        /// Limit `receive`.
        public var read: Duration
        /// Between two parts of the request body. The time in which a body's stream produces nothing does not count.
        /// Limit `send`.
        public var write: Duration
        /// The whole exchange, including the wait for a connection. For a response that is read as a stream, up to its
        /// head. Limit `attempt`.
        public var whole: Duration

        /// Makes a set of limits. A limit of zero or less passes at once.
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

        /// 10 s to connect, 30 s to read and to write, 60 s in all. The wait for a free connection has the limit of
        /// connecting, and the wait for the first byte that of reading, in all presets.
        public static let standard = Timeouts(connect: 10, read: 30, write: 30, whole: 60)
        /// 5 s to connect, 15 s to read and to write, 30 s in all: for interactive use.
        public static let fast = Timeouts(connect: 5, read: 15, write: 15, whole: 30)
        /// 30 s to connect, 120 s to read, 60 s to write, 180 s in all: for slow networks and large transfers.
        public static let slow = Timeouts(connect: 30, read: 120, write: 60, whole: 180)
        /// 3 s to connect, 15 s to read and to write, 30 s in all: between services.
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

        /// Checks the limits: each must be more than zero.
        ///
        /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the property.
        public func validate() throws(NetworkError) { try limits.validate() }
    }
}

extension CurlConfiguration {
    /// The settings that few configurations have.
    fileprivate struct Choices: Sendable {
        var minimumTLSVersion: TLSVersion = TLSVersion.tls12
        var clientCertificate: ClientCertificate?
        var pinnedKeys: [String] = []
        var proxy: Proxy?
        var unixSocketPath: String?
        var resolutions: [Resolution] = []
        var detours: [Detour] = []
        var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()
        var clock: any GatewayClock = SystemClock()
    }

    /// Keeps them on the heap, so that a configuration is small to copy.
    fileprivate final class ChoicesBox: Sendable {
        let choices: Choices
        init(_ choices: Choices) { self.choices = choices }
    }

    private var choices: Choices {
        get { box.choices }
        set { box = ChoicesBox(newValue) }
    }
}
