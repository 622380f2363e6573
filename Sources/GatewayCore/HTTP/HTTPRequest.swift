/// A request with its URL already taken apart.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// Where it goes.
    public var origin: Origin
    /// Path and query as they stand on the request line, percent-encoded.
    public var target: String
    /// The header fields. `Host`, `Content-Length` and `Transfer-Encoding` are the transport's.
    public var fields: HTTPFields
    /// The body.
    public var body: HTTPBody

    /// Makes a request from parts.
    public init(
        method: HTTPMethod, origin: Origin, target: String, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty
    ) {
        self.method = method
        self.origin = origin
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// Makes a request from an absolute `http` or `https` URL.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/invalidURL``.
    public init(
        _ method: HTTPMethod = .get, _ url: String, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty
    ) throws(NetworkError) {
        let parsed = try ParsedURL(url)
        self.init(method: method, origin: parsed.origin, target: parsed.target, fields: fields, body: body)
    }

    /// The target without its query: what may be logged.
    public var path: Substring { target.prefix { $0 != "?" } }

    /// Refuses what must not reach the wire: a method or field name that is no token, a field value with CR,
    /// LF or NUL, a target with a byte that must be encoded (RFC 9110 §5, RFC 9112 §3), a body on `TRACE`,
    /// and framing fields, which are the transport's.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/invalidRequest``. Values are never repeated.
    public func validate() throws(NetworkError) {
        guard HTTPSyntax.isToken(method.rawValue.utf8) else {
            throw NetworkError(
                .invalidRequest, "The method is not a token (RFC 9110 §5.6.2).", origin: origin)
        }
        guard HTTPSyntax.isOriginFormTarget(target.utf8) else {
            throw NetworkError(
                .invalidRequest,
                "The request target must begin with '/' and have only visible ASCII without '#'.",
                origin: origin)
        }
        for field in fields {
            guard field.isValid else {
                throw NetworkError(
                    .invalidRequest,
                    HTTPSyntax.isToken(field.name.rawName.utf8)
                        ? "The value of the header field '\(field.name)' has a control character."
                        : "A header field's name is not a token.",
                    origin: origin)
            }
            if field.name == .contentLength || field.name == .transferEncoding || field.name == .host {
                throw NetworkError(
                    .invalidRequest,
                    "The header field '\(field.name)' is set by the transport: remove it.", origin: origin)
            }
        }
        if method == .trace, !body.isEmpty {
            throw NetworkError(
                .invalidRequest, "TRACE must not have content (RFC 9110 §9.3.8).", origin: origin)
        }
    }
}

extension HTTPRequest: Redacted {
    /// Method, origin and path: no query, header values or body, which may be secrets.
    public var description: String { "\(method) \(origin)\(path)" }
}
