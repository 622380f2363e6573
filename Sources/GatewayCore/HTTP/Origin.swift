/// Scheme, host and port (RFC 6454). Connections, credentials and circuit breakers belong to an origin.
///
/// It is created once per call when the URL is parsed. Lower layers use these parts and never parse the URL again.
public struct Origin: Hashable, Sendable {
    /// On the heap, because requests, responses and errors store their origin in every layer.
    @usableFromInline
    final class Parts: Sendable {
        @usableFromInline let scheme: Scheme
        @usableFromInline let host: String
        @usableFromInline let port: UInt16
        @usableFromInline let isLoopback: Bool
        @usableFromInline let digest: UInt64
        let basePath: String

        init(scheme: Scheme, host: String, port: UInt16, basePath: String) {
            self.scheme = scheme
            self.host = host
            self.port = port
            self.basePath = basePath
            isLoopback = Origin.isLoopback(host)
            digest = Origin.digest(scheme, host, port)
        }
    }

    @usableFromInline let parts: Parts

    /// `http` or `https`.
    @inlinable public var scheme: Scheme { parts.scheme }
    /// The host in lower case. An IPv6 address has brackets.
    @inlinable public var host: String { parts.host }
    /// The port. If the URL has none, the default port of the scheme.
    @inlinable public var port: UInt16 { parts.port }
    /// Whether requests to this origin stay on this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    @inlinable public var isLoopback: Bool { parts.isLoopback }

    /// The supported schemes.
    public enum Scheme: String, Hashable, Sendable {
        /// Plain HTTP.
        case http
        /// HTTP over TLS.
        case https

        /// The default port: 80 or 443.
        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    init(scheme: Scheme, checkedHost host: String, port: UInt16?, basePath: String = "") {
        parts = Parts(scheme: scheme, host: host, port: port ?? scheme.defaultPort, basePath: basePath)
    }

    /// The path of the base URL of the generated client that makes the call, for texts only: it precedes
    /// ``Operation/template``. Long segments, which may be secret, are `…`. Empty for all other calls.
    ///
    /// Why here: a client makes its origin once, and each request and event has it. It is no part of the origin's value.
    package var basePath: String { parts.basePath }

    /// The same origin with the base path of a client.
    package func with(basePath: String) -> Origin {
        if basePath == self.basePath { return self }
        return Origin(scheme: scheme, checkedHost: host, port: port, basePath: basePath)
    }

    /// Stands for the origin of a call whose URL is not known (RFC 2606 §2).
    package static let unknown = Origin(scheme: .https, checkedHost: "unknown.invalid", port: nil)

    /// Parses `scheme://host[:port]` with an optional trailing `/`.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/invalidURL``.
    public init(_ string: String) throws(NetworkError) {
        let parsed = try ParsedURL(string)
        guard parsed.target == "/" else {
            throw NetworkError(.invalidURL, "An origin has no path: write only scheme, host and port.")
        }
        self = parsed.origin
    }

    /// Whether a host in lower case is this machine.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether requests to the origin use TLS or do not leave this machine.
    public var isSecureOrLoopback: Bool { scheme == .https || isLoopback }

    /// Throws if a credential must not be sent to this origin, that is, over plain HTTP to another machine (RFC 6750
    /// §5.3).
    ///
    /// - Parameter hosts: the hosts that may use plain HTTP.
    /// - Throws: ``NetworkError`` with code ``NetworkError/insecureOrigin``.
    public func refuseInsecure(allowing hosts: PlainHTTPHosts = .none) throws(NetworkError) {
        guard isSecureOrLoopback || hosts.covers(self) else {
            throw NetworkError(
                .insecureOrigin,
                "Credentials are not sent over plain HTTP to another machine: use https, or list \(host) in "
                    + "plainHTTP where a service mesh encrypts.", origin: self)
        }
    }

    /// Random for each process, so that an attacker cannot choose hosts with colliding digests.
    private static let seed = UInt64.random(in: 0...UInt64.max)

    private static func digest(_ scheme: Scheme, _ host: String, _ port: UInt16) -> UInt64 {
        // FNV-1a, as for field names.
        var digest = seed
        for byte in host.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        digest = (digest ^ UInt64(port)) &* 0x100_0000_01B3
        return scheme == .https ? ~digest : digest
    }

    /// Whether scheme, host and port are the same.
    public static func == (a: Origin, b: Origin) -> Bool {
        a.parts === b.parts
            || a.parts.digest == b.parts.digest && a.port == b.port && a.scheme == b.scheme
                && a.host == b.host
    }

    /// Whether both are the same value in memory. This implies equality, but equal origins need not be identical.
    @inlinable
    package func isIdentical(to other: Origin) -> Bool { parts === other.parts }

    /// Hashes a digest of scheme, host and port.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts.digest) }

    /// The host, and the port if it is not the default of the scheme: the value of `Host` (RFC 9110 §7.2).
    public var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }

    /// Host and port, including a default port. Used in error messages.
    package var hostAndPort: String { "\(host):\(port)" }
}

extension Origin: CustomStringConvertible {
    /// `scheme://host[:port]`.
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}
