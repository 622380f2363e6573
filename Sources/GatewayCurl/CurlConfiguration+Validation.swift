public import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

extension CurlConfiguration {
    /// Refuses texts that would mean something else to a server or to libcurl: controls in fields, NUL in paths, and
    /// hosts, addresses and pins with characters that libcurl reads as separators or commands.
    ///
    /// A ``CurlTransport`` checks the same, and fails every request before any I/O where it does not hold. Files are
    /// not opened.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/misconfigured``. The message names the setting, and no value.
    public func validate() throws(NetworkError) {
        try Self.require(
            HTTPSyntax.isFieldValue(userAgent.utf8), "userAgent",
            "it must not hold line ends or other controls")
        try validateTLS()
        try validateProxy()
        try validateRoutes()
    }

    private func validateTLS() throws(NetworkError) {
        try Self.require(caFile.map(Self.isPath) ?? true, "caFile", "it must be a path without NUL")
        if let own = clientCertificate {
            try Self.require(
                Self.isPath(own.certificateFile) && Self.isPath(own.keyFile), "clientCertificate",
                "certificateFile and keyFile must be paths without NUL")
            try Self.require(
                own.keyPassword?.exposed.utf8.contains(0) != true, "clientCertificate",
                "keyPassword must not hold NUL")
        }
        for pin in pinnedKeys {
            try Self.require(
                Base64.decode(Array(pin.utf8))?.count == 32, "pinnedKeys",
                "each must be the base64 of a SHA-256 digest, 44 characters without a prefix")
        }
    }

    private func validateProxy() throws(NetworkError) {
        guard let proxy else { return }
        try Self.require(Self.isHost(proxy.host), "proxy", "host must be \(Self.hostForm)")
        try Self.require(proxy.port > 0, "proxy", "port must be 1 or more")
        try Self.require(
            proxy.username != nil || proxy.password == nil, "proxy",
            "password needs the username that it is for")
        // RFC 7617 §2.
        let name = proxy.username ?? ""
        try Self.require(
            !name.utf8.contains(UInt8(ascii: ":")) && !Self.holdsControl(name), "proxy",
            "username must not hold a colon or controls")
        try Self.require(
            !Self.holdsControl(proxy.password?.exposed ?? ""), "proxy", "password must not hold controls")
    }

    private func validateRoutes() throws(NetworkError) {
        if let unixSocketPath {
            try Self.require(
                Self.isPath(unixSocketPath) && unixSocketPath.utf8.count <= Self.longestSocketPath,
                "unixSocketPath", "it must be a path without NUL of at most \(Self.longestSocketPath) bytes")
        }
        for resolution in resolutions {
            try Self.require(
                Self.isHost(resolution.host) && !resolution.host.hasPrefix("[") && resolution.port > 0,
                "resolutions",
                "host must be a name or an IPv4 address (an IPv6 address is never resolved), and port 1 or more"
            )
            try Self.require(
                !resolution.addresses.isEmpty && resolution.addresses.allSatisfy(Self.isAddress),
                "resolutions",
                "addresses must be one or more IP addresses, those of IPv6 in brackets")
            try Self.require(
                !Origin.isLoopback(resolution.host.lowercased())
                    || resolution.addresses.allSatisfy(Origin.isLoopback), "resolutions", Self.loopbackRule)
        }
        for detour in detours {
            try Self.require(
                Self.isHost(detour.host) && Self.isHost(detour.toHost), "detours",
                "host and toHost must be \(Self.hostForm)")
            try Self.require(detour.port > 0 && detour.toPort > 0, "detours", "ports must be 1 or more")
            try Self.require(
                !Origin.isLoopback(detour.host.lowercased()) || Origin.isLoopback(detour.toHost.lowercased()),
                "detours", Self.loopbackRule)
        }
    }

    // MARK: Forms

    /// What `sockaddr_un` has room for.
    private static let longestSocketPath = 107
    /// Requests to loopback hosts may carry credentials in clear text.
    private static let loopbackRule = "a loopback host must not lead to another machine"
    private static let hostForm =
        "a name of ASCII letters, digits, '.', '-' and '_', or an IP address, IPv6 in brackets"

    private static func require(
        _ isValid: Bool, _ setting: String, _ rule: String
    ) throws(NetworkError) {
        guard isValid else {
            throw NetworkError(
                .misconfigured, "The transport's setting '\(setting)' cannot be used: \(rule).", phase: .queue
            )
        }
    }

    private static func isPath(_ path: String) -> Bool { !path.isEmpty && !path.utf8.contains(0) }

    private static func holdsControl(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// A name must begin with a letter, digit or '_': libcurl takes '-', '+' and '*' in front for commands.
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

    /// An IPv4 address, or an IPv6 address in brackets.
    private static func isAddress(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        var address = in6_addr()
        if text.hasPrefix("["), text.hasSuffix("]") {
            return unsafe inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1
        }
        return unsafe inet_pton(AF_INET, text, &address) == 1
    }
}
