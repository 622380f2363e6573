private import GatewayLibC

/// A parsed absolute `http` or `https` URL (RFC 3986 §3, RFC 9110 §4.2).
///
/// User information is rejected (RFC 9110 §4.2.4), a fragment is dropped, and an empty path becomes `/`. Path and query
/// are kept byte for byte.
public struct ParsedURL: Hashable, Sendable {
    /// Scheme, host and port.
    public let origin: Origin
    /// Path and query as in the request line.
    public let target: String

    /// Creates a value from parts that were validated.
    package init(origin: Origin, target: String) {
        self.origin = origin
        self.target = target
    }

    /// Parses a URL.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/invalidURL``. The message does not contain the URL, which
    ///   may be secret.
    public init(_ url: String) throws(NetworkError) {
        func invalid(_ reason: String) -> NetworkError { NetworkError(.invalidURL, reason) }

        let otherScheme = "The URL's scheme is not http or https."
        guard let mark = Self.range(of: "://", in: url) else {
            // A text before a colon and a port number is a host, not a scheme.
            let isOther =
                Self.hasScheme(url) && url.drop { $0 != ":" }.dropFirst().first?.isNumber == false
            throw invalid(isOther ? otherScheme : "The URL has no scheme: write http://… or https://….")
        }
        guard let scheme = Origin.Scheme(rawValue: url[..<mark.lowerBound].lowercased()) else {
            throw invalid(otherScheme)
        }
        let rest = url[mark.upperBound...]
        let end = rest.utf8.firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        let authority = rest[..<(end ?? rest.endIndex)]
        var tail = rest[(end ?? rest.endIndex)...]
        if let hash = tail.utf8.firstIndex(of: UInt8(ascii: "#")) { tail = tail[..<hash] }

        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw invalid("The URL has user information: pass credentials separately.")
        }
        let (host, port) = try Self.hostAndPort(authority)
        let target = tail.utf8.first == UInt8(ascii: "/") ? String(tail) : "/" + tail
        guard HTTPSyntax.isOriginFormTarget(target.utf8) else { throw Self.unencoded }
        self.origin = Origin(scheme: scheme, checkedHost: host, port: port)
        self.target = target
    }

    static var unencoded: NetworkError {
        NetworkError(.invalidURL, "The URL's path or query has a byte that must be percent-encoded.")
    }

    private static func hostAndPort(_ authority: Substring) throws(NetworkError) -> (String, UInt16?) {
        var host = authority
        var port: UInt16?
        let hostEnd =
            authority.utf8.first == UInt8(ascii: "[")
            ? authority.utf8.firstIndex(of: UInt8(ascii: "]")).map { authority.utf8.index(after: $0) }
            : authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        guard let hostEnd else {
            throw NetworkError(.invalidURL, "The URL's IPv6 address has no closing bracket.")
        }
        host = authority[..<hostEnd]
        let portPart = authority[hostEnd...]
        if !portPart.isEmpty {
            let digits = portPart.dropFirst()
            guard portPart.utf8.first == UInt8(ascii: ":"),
                digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
                digits.isEmpty || UInt16(digits).map({ $0 > 0 }) == true
            else {
                throw NetworkError(.invalidURL, "The URL's port is not a number from 1 to 65535.")
            }
            port = UInt16(digits)
        }
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw NetworkError(
                .invalidURL,
                "The URL's host has letters beyond ASCII: write its A-label form (xn--…, RFC 5891).")
        }
        guard !host.isEmpty, host.utf8.count <= 255,
            host.utf8.allSatisfy(isHostByte(bracketed: host.first == "["))
        else {
            throw NetworkError(
                .invalidURL, "The URL's host is empty or has a byte that is not allowed in host names.")
        }
        guard host.first != "[" || isIPv6Literal(host) else {
            throw NetworkError(.invalidURL, "The URL's host in brackets is not an IPv6 address.")
        }
        guard isUnambiguous(host) else {
            throw NetworkError(
                .invalidURL, "The URL's host is a number: write an IPv4 address as four decimal numbers.")
        }
        return (host.lowercased(), port)
    }

    /// Whether a host is a valid IPv6 address in brackets (RFC 3986 §3.2.2).
    private static func isIPv6Literal(_ host: Substring) -> Bool {
        guard host.hasPrefix("["), host.hasSuffix("]") else { return false }
        var address = in6_addr()
        return unsafe inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }

    /// Whether a host is not an IPv4 address in an unusual form. A host that ends in a number must be an IPv4 address
    /// in dotted decimal form (RFC 3986 §3.2.2). libcurl also interprets forms such as `0x7f.1`, `127.1` and
    /// `2130706433` as addresses, so the connection would go to another host than the one that was checked.
    private static func isUnambiguous(_ host: Substring) -> Bool {
        guard host.utf8.last != UInt8(ascii: "]") else { return true }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last(where: { !$0.isEmpty }), last.utf8.first.map(isDigit) == true else {
            return true
        }
        let isNumber = last.utf8.allSatisfy(isDigit) || last.hasPrefix("0x") || last.hasPrefix("0X")
        return !isNumber
            || labels.count == 4 && labels.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// Whether a byte is allowed in a host: letters, digits, `-`, `.`, `_`; for addresses in brackets hexadecimal
    /// digits, `:`, `.`, and the brackets. Internationalized names must be A-labels (RFC 5891).
    private static func isHostByte(bracketed: Bool) -> (UInt8) -> Bool {
        { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
            case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"): !bracketed
            case UInt8(ascii: "-"), UInt8(ascii: "_"): !bracketed
            case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): bracketed
            default: false
            }
        }
    }

    private static func range(of needle: String, in text: String) -> Range<String.Index>? {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index...].hasPrefix(needle) {
                return index..<text.index(index, offsetBy: needle.count)
            }
            guard text[index].isLetter || text[index].isNumber || "+-.".contains(text[index]) else {
                return nil
            }
            index = text.index(after: index)
        }
        return nil
    }
}
