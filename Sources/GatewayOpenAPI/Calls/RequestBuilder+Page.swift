internal import GatewayCore
internal import GatewayJSON

extension RequestBuilder {
    /// Changes the request so that it requests the page of a token.
    mutating func turn(_ turn: PageTurn, to token: String) {
        switch turn.kind {
        case .cursor, .offset, .number:
            if turn.isInBody { replaceBody(turn, token) } else { replaceQuery(turn.parameter, token) }
        case .url, .link: continuation = token
        }
    }

    /// The token of the requested page; `nil` for the first page.
    func token(of turn: PageTurn) -> String? {
        guard turn.isInBody else { return queryValue(turn.parameter) }
        var value = try? JSONValue(jsonBytes: body.bytes ?? [])
        for step in "\(turn.parameter)".split(separator: ".") { value = value?[String(step)] }
        return value?.number?.text ?? value?.string
    }

    /// Writes a token to its place in the JSON body. Missing members are added.
    private mutating func replaceBody(_ turn: PageTurn, _ token: String) {
        var value: JSONValue = .string(token)
        if turn.isNumber {
            guard let number = JSONNumber(token) else {
                return fail("The next page's token is no number, as the body wants it.")
            }
            value = .number(number)
        }
        do throws(JSONError) {
            let bytes = body.bytes ?? []
            let whole: JSONValue = bytes.isEmpty ? .object([:]) : try JSONValue(jsonBytes: bytes)
            let steps = "\(turn.parameter)".split(separator: ".").map { String($0) }
            body = .bytes(try whole.setting(steps[...], to: value).jsonBytes())
            if fields[.contentType] == nil { contentType("application/json") }
        } catch {
            fail("The body cannot ask for the next page: \(error.message).")
        }
    }

    /// The percent-decoded value of a query parameter of style `form`; `nil` if the parameter is not set.
    func queryValue(_ name: StaticString) -> String? {
        guard let part = queryPart(name), let mark = part.firstIndex(of: "=") else { return nil }
        return String(percentDecoding: Array(part[part.index(after: mark)...].utf8)[...])
    }

    /// The request target of the page at a URL. The URL may be relative to the current request (RFC 3986, section 5.2).
    ///
    /// - Throws: `foreignPage` if it is at another origin, `invalidURL` if it is not a URL.
    func target(of continuation: String, from origin: Origin, _ target: String) throws(NetworkError) -> String
    {
        let next = try ParsedURL(origin: origin, target: target).resolving(continuation)
        guard next.origin == origin else {
            throw NetworkError(
                .foreignPage, "\(operation.id): The next page is at another origin; nothing is sent there.",
                origin: origin)
        }
        return next.target
    }
}

extension JSONValue {
    /// A copy of the value with another value at the end of a path of member names.
    fileprivate func setting(_ steps: ArraySlice<String>, to value: JSONValue) -> JSONValue {
        guard let first = steps.first else { return value }
        var members = object ?? [:]
        members[first] = (members[first] ?? .object([:])).setting(steps.dropFirst(), to: value)
        return .object(members)
    }
}
