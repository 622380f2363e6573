extension Origin {
    /// The same host over TLS. Port 80 becomes 443, any other port is kept (RFC 6797 §8.3).
    public var secured: Origin {
        Origin(
            scheme: .https, checkedHost: host, port: port == Scheme.http.defaultPort ? nil : port,
            basePath: basePath)
    }

    /// Whether the host is an IP address: IPv6 in brackets, or a name whose last label is a number, which resolvers
    /// interpret as IPv4 (no top-level domain is a number, RFC 3696 §2).
    public var isIPAddress: Bool {
        if host.hasPrefix("[") { return true }
        guard let last = host.split(separator: ".").last else { return false }
        return last.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            || last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}
