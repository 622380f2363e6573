/// How a ``CurlTransport`` behaves.
public struct CurlConfiguration: Sendable {
    /// The limits of time.
    public var timeouts = Timeouts.standard
    /// How many requests may be on the wire to one origin, each on a connection of its own; 1 or more. 64: what
    /// a service needs for 6,000 requests a second at 10 ms each.
    public var connectionsPerOrigin = 64
    /// How many requests may be on the wire in all, 1 or more; as many connections are kept. 256: well under the
    /// 1,024 descriptors a process usually has.
    public var connectionsInAll = 256
    /// How many requests may wait for a connection, 0 or more; past it they fail with
    /// `NetworkError.overloaded`. 16,384: a burst of ten thousand passes, a runaway loop does not.
    public var waitingLimit = 16_384
    /// How many threads do the I/O, 1 to 64; 1, which carries some 80,000 small requests a second, more than most
    /// services make. With more, origins are spread over them, each with its share of `connectionsInAll` and of
    /// `waitingLimit`; all requests to one origin stay on one thread.
    public var loops = 1
    /// How long a connection may rest before it is no longer used. 55 s: gateways and load balancers close theirs
    /// after 60 s and more, and a request that meets the close is lost.
    public var maximumConnectionIdle = Duration.seconds(55)
    /// How long a connection is used in all; 300 s, so that changes in DNS are followed.
    public var maximumConnectionAge = Duration.seconds(300)
    /// When the system asks on a connection at rest whether the other side is still there (TCP keep-alive, RFC 9293
    /// §3.8.4); `nil` for never. It finds out during a request as well, while a response is long in coming.
    public var tcpKeepAlive: TCPKeepAlive? {
        get { choices.tcpKeepAlive }
        set { choices.tcpKeepAlive = newValue }
    }
    /// A PEM file with the certificates to trust in place of the system's.
    public var caFile: String?
    /// The oldest version of TLS that is spoken; 1.2, below which none is safe (RFC 8996).
    public var minimumTLSVersion: TLSVersion {
        get { choices.minimumTLSVersion }
        set { choices.minimumTLSVersion = newValue }
    }
    /// By what we show servers who we are; nothing.
    public var clientCertificate: ClientCertificate? {
        get { choices.clientCertificate }
        set { choices.clientCertificate = newValue }
    }
    /// The only keys that servers may have: SHA-256 digests of their SubjectPublicKeyInfo in base64 (RFC 7469 §2.4);
    /// a server with another fails with `NetworkError.pinningFailure`. Empty for any key with a trusted certificate,
    /// which is needed either way.
    public var pinnedKeys: [String] {
        get { choices.pinnedKeys }
        set { choices.pinnedKeys = newValue }
    }
    /// The proxy that requests go through; none. The environment is never asked. Requests to loopback origins
    /// (`localhost`, 127.0.0.0/8, `[::1]`) never go through it, since they may carry credentials in clear text.
    public var proxy: Proxy? {
        get { choices.proxy }
        set { choices.proxy = newValue }
    }
    /// A Unix domain socket to connect to for every request, whatever its host.
    public var unixSocketPath: String? {
        get { choices.unixSocketPath }
        set { choices.unixSocketPath = newValue }
    }
    /// Addresses to use in place of what DNS says.
    public var resolutions: [Resolution] {
        get { choices.resolutions }
        set { choices.resolutions = newValue }
    }
    /// Other places to connect to.
    public var detours: [Detour] {
        get { choices.detours }
        set { choices.detours = newValue }
    }
    /// Whether responses may come compressed (gzip and deflate), and are decompressed on the loop's thread. Off: most
    /// calls are small. Limits count decompressed bytes. A compressed stream whose reader stands still holds 16 KiB of
    /// decompressed bytes beyond its window. Compressed content that ends early fails with `NetworkError.truncated`,
    /// and damaged content or another coding with `NetworkError.malformedResponse`.
    ///
    /// A request with `Accept-Encoding` or `Range` gets its response as it comes.
    public var acceptsCompression = false
    /// The value of `User-Agent` where the request has none; empty for no such field.
    ///
    /// Let it end in ` HTTP/1.1`, a product of its own (RFC 9110 §10.1.5): libcurl is then given all fields at once,
    /// which saves a call with a bearer token a sixth of its processor time.
    public var userAgent = "GatewayClient HTTP/1.1"
    /// The most bytes of a response's status line, fields and trailers; 64 KiB, past what servers accept
    /// themselves.
    public var responseHeaderLimitBytes = 64 << 10
    /// The protocol version.
    public var httpVersion = HTTPVersion.http1

    private var box = ChoicesBox(Choices())

    /// Makes a configuration with the defaults above.
    public init() {}

    /// Which versions of HTTP are spoken.
    @nonexhaustive
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/1.1.
        case http1
        /// HTTP/2 over TLS where the server offers it, else HTTP/1.1. With a libcurl before 8.0 a response
        /// without `Content-Length` fails with `NetworkError.truncated`, because its end cannot be told from
        /// its being cut off.
        case http2
    }
}

extension CurlConfiguration {
    /// The limits of time of one exchange. A call's own deadline comes on top.
    public struct Timeouts: Hashable, Sendable {
        /// Waiting for a connection to be free.
        public var queue: Duration
        /// Resolving, connecting and the TLS handshake together.
        public var connect: Duration
        /// From the request's last byte to the response's first.
        public var firstByte: Duration
        /// Between two pieces of the response. Time in which the reader of a stream takes nothing is his own and
        /// does not count.
        public var read: Duration
        /// Between two pieces of the request. Time in which a stream brings nothing is its own and does not
        /// count.
        public var write: Duration
        /// The whole exchange, the wait for a connection included. Of a response that is read as a stream, up to
        /// its head.
        public var whole: Duration

        /// Makes a set of limits.
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

        /// 10 s to connect, 30 s to read and to write, 60 s in all.
        public static let standard = Timeouts(connect: 10, read: 30, write: 30, whole: 60)
        /// 5, 15, 15 and 30 s, for what somebody waits for.
        public static let fast = Timeouts(connect: 5, read: 15, write: 15, whole: 30)
        /// 30, 120, 60 and 180 s, for slow networks and large transfers.
        public static let slow = Timeouts(connect: 30, read: 120, write: 60, whole: 180)
        /// 3, 15, 15 and 30 s, from service to service.
        public static let server = Timeouts(connect: 3, read: 15, write: 15, whole: 30)

        private init(connect: Int, read: Int, write: Int, whole: Int) {
            self.init(
                queue: .seconds(connect), connect: .seconds(connect), firstByte: .seconds(read),
                read: .seconds(read), write: .seconds(write), whole: .seconds(whole))
        }
    }
}

extension CurlConfiguration {
    /// What few configurations say.
    fileprivate struct Choices: Sendable {
        var minimumTLSVersion: TLSVersion = TLSVersion.tls12
        var clientCertificate: ClientCertificate?
        var pinnedKeys: [String] = []
        var proxy: Proxy?
        var unixSocketPath: String?
        var resolutions: [Resolution] = []
        var detours: [Detour] = []
        var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()
    }

    /// Keeps them on the heap, so that a configuration that names none of them stays small to copy.
    fileprivate final class ChoicesBox: Sendable {
        let choices: Choices
        init(_ choices: Choices) { self.choices = choices }
    }

    private var choices: Choices {
        get { box.choices }
        set { box = ChoicesBox(newValue) }
    }
}
