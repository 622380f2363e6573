internal import GatewayCore

extension RequestBuilder {
    /// Asks for the page of a token.
    mutating func turn(_ turn: PageTurn, to token: String) {
        switch turn.kind {
        case .cursor, .offset, .number: replaceQuery(turn.parameter, token)
        case .url, .link: continuation = token
        }
    }

    /// The value of a query parameter of style `form`, as it was before it was encoded; `nil` when there is none.
    func queryValue(_ name: StaticString) -> String? {
        guard let part = queryPart(name), let mark = part.firstIndex(of: "=") else { return nil }
        var bytes: [UInt8] = []
        var rest = part[part.index(after: mark)...].utf8
        while let byte = rest.popFirst() {
            let digits = String(rest.prefix(2)) ?? ""
            if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The target of the page that a URL names. It may be relative to the request's own (RFC 3986, section 5.2).
    ///
    /// - Throws: `foreignPage` when it is at another origin, `invalidURL` when it is no URL.
    func target(of continuation: String, from origin: Origin, _ target: String) throws(NetworkError) -> String
    {
        let next = try ParsedURL(origin.description + target).resolving(continuation)
        guard next.origin == origin else {
            throw NetworkError(
                .foreignPage, "\(operation.id): The next page is at another origin; nothing is sent there.",
                origin: origin)
        }
        let path = next.target.prefix { $0 != "?" }
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw NetworkError(.invalidURL, "The next page's path holds '.' or '..'.", origin: origin)
        }
        return next.target
    }
}
