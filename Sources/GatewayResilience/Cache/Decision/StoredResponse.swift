import GatewayCore

/// Makes the response to a request from a stored response.
enum StoredResponse {
    /// - Parameters:
    ///   - use: the stored response.
    ///   - body: its body.
    ///   - isValidated: whether the server has just validated it; otherwise it gets `Age`, and the fields
    ///     listed in `no-cache="…"` are removed (RFC 9111 §5.2.2.4).
    static func make(
        _ use: StoredUse, _ body: [UInt8], to request: CacheRequest, isValidated: Bool
    ) -> (status: Int, fields: HTTPFields, body: [UInt8]) {
        var fields = use.head.fields
        if !isValidated {
            for name in use.head.facts.directives.noCacheFields { fields.remove(name) }
            fields[.age] = String(use.ageSeconds)
        }
        if request.isConditional, use.head.status == 200, isUnchanged(use.head.fields, request.fields) {
            fields.remove(.contentLength)
            return (304, fields, [])
        }
        if request.isHead { return (use.head.status, fields, []) }
        guard let range = RangeRequest(request.fields), range.matches(use.head) else {
            return (use.head.status, fields, body)
        }
        guard let bounds = range.bounds(of: body.count) else {
            fields.remove(.contentType)
            fields["Content-Range"] = "bytes */\(body.count)"
            fields[.contentLength] = "0"
            return (416, fields, [])
        }
        fields["Content-Range"] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(body.count)"
        fields[.contentLength] = String(bounds.count)
        return (206, fields, Array(body[bounds]))
    }

    /// Whether a stored response can answer the caller's conditions and ranges; otherwise the request is
    /// sent.
    static func canAnswer(_ request: CacheRequest, from head: CachedHead) -> Bool {
        if request.fields.contains(.ifMatch) || request.fields.contains(.ifUnmodifiedSince) { return false }
        guard request.hasRange else { return true }
        return head.status == 200 && !head.isDecoded && !request.isHead && !request.isConditional
            && RangeRequest(request.fields) != nil
    }

    /// Whether the caller's conditions match the stored representation (RFC 9110 §13.2.2).
    private static func isUnchanged(_ stored: HTTPFields, _ request: HTTPFields) -> Bool {
        if let tags = request[.ifNoneMatch] {
            if FieldList.trimmed(tags[...]) == "*" { return true }
            guard let tag = stored[.entityTag] else { return false }
            let opaque = CacheStorage.opaqueTag(tag)
            return FieldList.members(of: tags).contains { CacheStorage.opaqueTag(String($0)) == opaque }
        }
        guard let since = request[.ifModifiedSince].flatMap({ HTTPDate.parse($0, unixTime: .zero) }),
            let modified = (stored[.lastModified] ?? stored[.date])
                .flatMap({ HTTPDate.parse($0, unixTime: .zero) })
        else { return false }
        return modified <= since
    }
}
