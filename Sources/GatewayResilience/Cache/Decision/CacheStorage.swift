import GatewayCore

/// Which responses are stored, and what of them (RFC 9111 §3).
enum CacheStorage {
    /// Statuses that the cache understands, so that `must-understand` takes precedence over `no-store` (RFC
    /// 9111 §5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 402...406, 408...418, 421, 422, 426, 451,
            500...505:
            true
        default: false
        }
    }

    /// The statuses of RFC 9110 §15.1, without 206.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Statuses to which ``CachePolicy/negative`` applies.
    static func isNegative(_ status: Int) -> Bool {
        switch status {
        case 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Statuses that depend on the credential or the rate, which must not be used for another request (RFC
    /// 6585 §3 to §6), and 403 with a challenge.
    static func isRefusal(_ status: Int, _ fields: HTTPFields) -> Bool {
        switch status {
        case 401, 407, 428, 429, 431, 511: true
        case 403: fields.contains(.wwwAuthenticate)
        default: false
        }
    }

    /// Whether a complete response to a `GET` may be stored.
    static func isStorable(
        _ request: CacheRequest, status: Int, fields: HTTPFields, facts: ResponseFacts, mode: CacheMode
    ) -> Bool {
        guard !request.isHead, mode != .noStore, !request.directives.noStore,
            status >= 200, status != 206, status != 304, !isRefusal(status, fields)
        else { return false }
        let directives = facts.directives
        guard !isForbidden(directives, status: status) else { return false }
        return facts.freshness != nil || directives.isPublic || directives.isPrivate
            || isHeuristicallyCacheable(status)
    }

    /// Whether the response forbids storing (RFC 9111 §5.2.2.3, §5.2.2.5).
    static func isForbidden(_ directives: CacheDirectives, status: Int) -> Bool {
        directives.mustUnderstand ? !isUnderstood(status) : directives.noStore
    }

    /// The fields to store (RFC 9111 §3.1): without those of the connection and of proxies, and with the
    /// time of receipt if `Date` is missing (RFC 9110 §6.6.1).
    static func storable(_ fields: HTTPFields, received: Duration) -> HTTPFields {
        var dropped = hopByHop
        for field in fields where field.name == "Connection" {
            dropped += FieldList.members(of: field.value).map { HTTPField.Name(String($0)) }
        }
        var stored = HTTPFields()
        stored.reserveCapacity(fields.count)
        for field in fields where !dropped.contains(field.name) { stored.append(field) }
        if !stored.contains(.date) { stored.append(.date, HTTPDate.format(received.wholeSeconds)) }
        return stored
    }

    private static let hopByHop: [HTTPField.Name] = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
        "Proxy-Authentication-Info", "TE", "Trailer", .transferEncoding, "Upgrade",
    ]

    /// The fields of a stored response after a 304 or a response to `HEAD` (RFC 9111 §3.2). `Content-Length`
    /// and the fields about the coding and the range of the stored body are kept. A weak tag is kept too if
    /// the newer response has the same tag as a strong one, as some servers send it: the stored bytes may
    /// differ (§4.3.4). `Age` and `Date` are those of the newer response.
    static func updated(_ stored: HTTPFields, by newer: HTTPFields, received: Duration) -> HTTPFields {
        let newer = storable(newer, received: received)
        var kept: [HTTPField.Name] = [.contentLength, "Content-Encoding", "Content-Range"]
        if let tag = stored[.entityTag], tag.hasPrefix("W/"), newer[.entityTag] == String(tag.dropFirst(2)) {
            kept.append(.entityTag)
        }
        var fields = HTTPFields()
        for field in stored where kept.contains(field.name) || !newer.contains(field.name) {
            if field.name != .age && field.name != .date { fields.append(field) }
        }
        for field in newer where !kept.contains(field.name) { fields.append(field) }
        return fields
    }

    /// Whether a 304 applies to a stored response (RFC 9111 §4.3.4).
    static func isValidation(_ newer: HTTPFields, of stored: HTTPFields) -> Bool {
        if let tag = newer[.entityTag] {
            guard let known = stored[.entityTag] else { return false }
            return opaqueTag(tag) == opaqueTag(known)
        }
        if let modified = newer[.lastModified], let known = stored[.lastModified] {
            return modified == known
        }
        return true
    }

    /// Whether a response to `HEAD` applies to the stored representation (RFC 9111 §4.3.5).
    static func isSameRepresentation(_ newer: HTTPFields, as stored: HTTPFields, bodyBytes: Int) -> Bool {
        for name in [HTTPField.Name.entityTag, .lastModified] {
            if let value = newer[name], value != stored[name] { return false }
        }
        guard let length = newer[.contentLength], let known = stored[.contentLength] else { return true }
        return length == known
    }

    /// The tag without the weakness prefix, for weak comparison (RFC 9110 §8.8.3.2).
    static func opaqueTag(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// Whether a response invalidates stored ones: a successful one to a method that is not known to be safe
    /// (RFC 9111 §4.4).
    static func invalidates(_ method: HTTPMethod, status: Int) -> Bool {
        switch method {
        case .get, .head, .options, .trace: false
        default: (200..<400).contains(status)
        }
    }
}
