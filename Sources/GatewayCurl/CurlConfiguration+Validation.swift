public import GatewayCore
private import GatewayLibC

extension CurlConfiguration {
    /// Validates the numbers, durations and texts of the configuration, but not ``timeouts``: values in their ranges, no
    /// control characters in field values, no NUL in paths, and no characters in hosts, addresses and pins that libcurl
    /// interprets as separators or commands.
    ///
    /// A ``CurlTransport`` makes the same check. If it fails, every request fails before any I/O. Files are not opened.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/misconfigured``. The message contains the setting, never its
    ///   value.
    public func validate() throws(NetworkError) {
        try NetworkError.require(
            HTTPSyntax.isFieldValue(userAgent.utf8), "userAgent",
            "must not contain line breaks or other control characters")
        try validateNumbers()
        try validateTLS()
        try validateProxy()
        try validateRoutes()
    }

    private func validateNumbers() throws(NetworkError) {
        for (name, number) in [
            ("connectionsPerOrigin", connectionsPerOrigin), ("connectionsInAll", connectionsInAll),
            ("responseHeaderLimitBytes", responseHeaderLimitBytes),
        ] {
            try NetworkError.require(number >= 1, name, "must be 1 or more")
        }
        try NetworkError.require(waitingLimit >= 0, "waitingLimit", "must be 0 or more")
        try NetworkError.require((1...64).contains(loops), "loops", "must be from 1 to 64")
        for (name, duration) in [
            ("maximumConnectionIdle", maximumConnectionIdle), ("maximumConnectionAge", maximumConnectionAge),
            ("tcpKeepAlive.idle", tcpKeepAlive?.idle), ("tcpKeepAlive.interval", tcpKeepAlive?.interval),
        ] {
            try NetworkError.require(
                duration.map { $0 >= .seconds(1) } ?? true, name, "must be 1 s or more")
        }
    }

    private func validateTLS() throws(NetworkError) {
        try NetworkError.require(caFile.map(Self.isPath) ?? true, "caFile", "must be a path without NUL")
        if let own = clientCertificate {
            try NetworkError.require(
                Self.isPath(own.certificateFile) && Self.isPath(own.keyFile), "clientCertificate",
                "certificateFile and keyFile must be paths without NUL")
            try NetworkError.require(
                own.keyPassword?.exposed.utf8.contains(0) != true, "clientCertificate",
                "keyPassword must not contain NUL")
        }
        for pin in pinnedKeys {
            try NetworkError.require(
                Base64.decode(Array(pin.utf8))?.count == 32, "pinnedKeys",
                "each must be the base64 of a SHA-256 digest, 44 characters without a prefix")
        }
    }

    private func validateProxy() throws(NetworkError) {
        guard let proxy else { return }
        try NetworkError.require(Self.isHost(proxy.host), "proxy", "host must be \(Self.hostForm)")
        try NetworkError.require(proxy.port > 0, "proxy", "port must be 1 or more")
        try NetworkError.require(
            proxy.username != nil || proxy.password == nil, "proxy",
            "password requires username")
        // The user name must not contain a colon (RFC 7617 §2).
        let name = proxy.username ?? ""
        try NetworkError.require(
            !name.utf8.contains(UInt8(ascii: ":")) && !Self.holdsControl(name), "proxy",
            "username must not contain a colon or control characters")
        try NetworkError.require(
            !Self.holdsControl(proxy.password?.exposed ?? ""), "proxy",
            "password must not contain control characters")
    }

    private func validateRoutes() throws(NetworkError) {
        if let unixSocketPath {
            try NetworkError.require(
                Self.isPath(unixSocketPath) && unixSocketPath.utf8.count <= Self.longestSocketPath,
                "unixSocketPath", "must be a path without NUL of at most \(Self.longestSocketPath) bytes")
        }
        for resolution in resolutions {
            try NetworkError.require(
                Self.isHost(resolution.host) && !resolution.host.hasPrefix("[") && resolution.port > 0,
                "resolutions",
                "host must be a name or an IPv4 address (IPv6 addresses are not resolved), and port must be 1 or more"
            )
            try NetworkError.require(
                !resolution.addresses.isEmpty && resolution.addresses.allSatisfy(Self.isAddress),
                "resolutions",
                "addresses must be one or more IP addresses, IPv6 in brackets")
            try NetworkError.require(
                !Origin.isLoopback(resolution.host.lowercased())
                    || resolution.addresses.allSatisfy(Origin.isLoopback), "resolutions", Self.loopbackRule)
        }
        for detour in detours {
            try NetworkError.require(
                Self.isHost(detour.host) && Self.isHost(detour.toHost), "detours",
                "host and toHost must be \(Self.hostForm)")
            try NetworkError.require(
                detour.port > 0 && detour.toPort > 0, "detours", "ports must be 1 or more")
            try NetworkError.require(
                !Origin.isLoopback(detour.host.lowercased()) || Origin.isLoopback(detour.toHost.lowercased()),
                "detours", Self.loopbackRule)
        }
    }

    // MARK: Syntax

    /// The capacity of `sockaddr_un`, without its NUL.
    private static let longestSocketPath = 107
    /// Requests to loopback hosts may have credentials over plain HTTP.
    private static let loopbackRule = "a loopback host must not be routed to another machine"
    private static let hostForm =
        "a name of ASCII letters, digits, '.', '-' and '_', or an IP address, IPv6 in brackets"

    private static func isPath(_ path: String) -> Bool { !path.isEmpty && !path.utf8.contains(0) }

    private static func holdsControl(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Whether a text is a host. A name must start with a letter, digit or '_', because libcurl interprets a leading
    /// '-', '+' or '*' as a command.
    private static func isHost(_ host: String) -> Bool {
        if host.utf8.first == UInt8(ascii: "[") { return isAddress(host) }
        let isNamePart = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard let first = host.utf8.first, isNamePart(first) else { return false }
        return host.utf8.count <= 255
            && host.utf8.allSatisfy { isNamePart($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// Whether a text is an IPv4 address, or an IPv6 address in brackets.
    private static func isAddress(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        var address = in6_addr()
        if text.hasPrefix("["), text.hasSuffix("]") {
            return unsafe inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1
        }
        return unsafe inet_pton(AF_INET, text, &address) == 1
    }
}
