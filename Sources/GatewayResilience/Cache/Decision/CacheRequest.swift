import GatewayCore

/// What a request says about stored responses.
struct CacheRequest: Sendable {
    let isHead: Bool
    let fields: HTTPFields
    let directives: CacheDirectives
    /// `Pragma: no-cache` without `Cache-Control` (RFC 9111 §5.4).
    let hasPragma: Bool
    /// Whether the caller has set conditions.
    let isConditional: Bool
    let hasRange: Bool

    /// - Returns: `nil` for requests whose responses are neither stored nor reused: methods other than `GET`
    ///   and `HEAD`, and requests with a body.
    init?(_ request: HTTPRequest) {
        guard request.method == .get || request.method == .head, request.body.isEmpty else { return nil }
        self.init(isHead: request.method == .head, fields: request.fields)
    }

    /// Whether the caller accepts a stored response only.
    func isStoredOnly(_ mode: CacheMode) -> Bool { mode == .onlyIfCached || directives.onlyIfCached }

    init(isHead: Bool, fields: HTTPFields) {
        self.isHead = isHead
        self.fields = fields
        directives = CacheDirectives(fields)
        var hasControl = false
        var (hasPragma, isConditional, hasRange) = (false, false, false)
        for field in fields {
            // Fast path: most fields have other initial letters.
            guard let first = field.name.rawName.utf8.first, "cpri".utf8.contains(first | 0x20) else {
                continue
            }
            switch field.name {
            case .cacheControl: hasControl = true
            case .pragma: if FieldList.contains("no-cache", in: field.value) { hasPragma = true }
            case .range: hasRange = true
            case .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince: isConditional = true
            default: break
            }
        }
        self.hasPragma = hasPragma && !hasControl
        self.isConditional = isConditional
        self.hasRange = hasRange
    }
}

extension FieldList {
    /// Whether a list contains a token, ignoring case.
    static func contains(_ token: String, in value: String) -> Bool {
        members(of: value).contains { HTTPSyntax.equalIgnoringCase(String($0), token) }
    }
}

extension HTTPField.Name {
    /// `Pragma` (RFC 9111 §5.4).
    static let pragma = Self("Pragma")
    /// `If-None-Match` (RFC 9110 §13.1.2).
    static let ifNoneMatch = Self("If-None-Match")
    /// `If-Modified-Since` (RFC 9110 §13.1.3).
    static let ifModifiedSince = Self("If-Modified-Since")
    /// `If-Match` (RFC 9110 §13.1.1).
    static let ifMatch = Self("If-Match")
    /// `If-Unmodified-Since` (RFC 9110 §13.1.4).
    static let ifUnmodifiedSince = Self("If-Unmodified-Since")
    /// `If-Range` (RFC 9110 §13.1.5).
    static let ifRange = Self("If-Range")
}
