/// A request with a parsed URL.
///
/// The value is one pointer, because every layer stores it while it waits for the layer below.
public struct HTTPRequest: Sendable {
    @usableFromInline
    struct Values: Sendable {
        @usableFromInline var method: HTTPMethod
        @usableFromInline var origin: Origin
        @usableFromInline var target: String
        @usableFromInline var fields: HTTPFields
        @usableFromInline var body: HTTPBody
        @usableFromInline var stamp: CredentialStamp?
        @usableFromInline var connectionWait = Duration.zero
    }

    @usableFromInline var values: CopyOnWrite<Values>

    /// The request method.
    public var method: HTTPMethod {
        @inlinable get { values.value.method }
        _modify { yield &values.value.method }
    }
    /// The origin of the server.
    public var origin: Origin {
        @inlinable get { values.value.origin }
        _modify { yield &values.value.origin }
    }
    /// Path and query as in the request line, percent-encoded.
    public var target: String {
        @inlinable get { values.value.target }
        _modify { yield &values.value.target }
    }
    /// The header fields. `Host`, `Content-Length` and `Transfer-Encoding` are set by the transport.
    public var fields: HTTPFields {
        @inlinable get { values.value.fields }
        _modify { yield &values.value.fields }
    }
    /// The request body.
    public var body: HTTPBody {
        @inlinable get { values.value.body }
        _modify { yield &values.value.body }
    }

    /// With what the request is stamped; `nil` without a credential.
    @inlinable
    package var stamp: CredentialStamp? { values.value.stamp }

    /// How long the request has waited for its connection slot, before it was passed to the transport.
    @inlinable
    package var connectionWait: Duration { values.value.connectionWait }

    /// Notes the stamp and the wait.
    package mutating func set(_ stamp: CredentialStamp?, connectionWait: Duration = .zero) {
        let isValidated = values.isMarked
        values.value.stamp = stamp
        if connectionWait > .zero { values.value.connectionWait = connectionWait }
        if isValidated { values.mark() }
    }

    /// Creates a request from its parts.
    public init(
        method: HTTPMethod, origin: Origin, target: String, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty
    ) {
        values = CopyOnWrite(
            Values(method: method, origin: origin, target: target, fields: fields, body: body))
    }

    /// Creates a request from an absolute `http` or `https` URL.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/invalidURL``.
    public init(
        _ method: HTTPMethod = .get, _ url: String, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty
    ) throws(NetworkError) {
        let parsed = try ParsedURL(url)
        self.init(method: method, origin: parsed.origin, target: parsed.target, fields: fields, body: body)
    }

    /// Sets a header field like `fields[name] = value`, without the allocation of an accessor in another module.
    ///
    /// A validated request remains validated if the field is valid.
    package mutating func setField(_ name: HTTPField.Name, _ value: String) {
        let isValidated = values.isMarked && Self.problem(of: HTTPField(name, value)) == nil
        values.value.fields[name] = value
        if isValidated { values.mark() }
    }

    /// Sets a header field that is known to be valid, like ``setField(_:_:)``.
    mutating func setValidField(_ name: HTTPField.Name, _ value: String) {
        let isValidated = values.isMarked
        values.value.fields[name] = value
        if isValidated { values.mark() }
    }

    /// Sets a header field that is known to be valid, and moves it to the end. The other fields are not copied.
    package mutating func setField(_ trailing: TrailingField) {
        let isValidated = values.isMarked
        values.value.fields.set(trailing)
        if isValidated { values.mark() }
    }

    /// Whether both are the same value in memory. This implies equality without comparing the parts.
    @inlinable
    package func isIdentical(to other: HTTPRequest) -> Bool { values.isIdentical(to: other.values) }

    /// The target without its query. It may be logged.
    public var path: Substring { target.prefix { $0 != "?" } }

    /// Validates the request. It rejects a method or field name that is not a token, a field value with CR, LF or NUL,
    /// a target with a byte that must be percent-encoded (RFC 9110 §5, RFC 9112 §3), a body with `TRACE`, an empty
    /// `Idempotency-Key`, and the fields that the transport sets. An unchanged request is not validated again.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/invalidRequest``. The message contains no values.
    public func validate() throws(NetworkError) {
        guard !values.isMarked else { return }
        #if DEBUG
            CallCounter.current?.add("validation")
        #endif
        try check()
        values.mark()
    }

    private func check() throws(NetworkError) {
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
            if let problem = Self.problem(of: field) {
                throw NetworkError(.invalidRequest, problem, origin: origin)
            }
        }
        if method == .trace, !body.isEmpty {
            throw NetworkError(
                .invalidRequest, "TRACE must not have content (RFC 9110 §9.3.8).", origin: origin)
        }
    }
}

extension HTTPRequest {
    /// Why a field must not be sent; `nil` if it is valid.
    static func problem(of field: HTTPField) -> String? {
        guard field.isValid else {
            return HTTPSyntax.isToken(field.name.rawName.utf8)
                ? "The value of the header field '\(field.name.rawName.prefix(100))' has a control character."
                : "A header field's name is not a token."
        }
        if field.name == .contentLength || field.name == .transferEncoding || field.name == .host {
            return "The header field '\(field.name)' is set by the transport: remove it."
        }
        // It would make the request repeatable, and no server could recognize the repetition.
        if field.value.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }), field.name == .idempotencyKey {
            return "The header field 'Idempotency-Key' is empty: give the call a key of its own, or none."
        }
        return nil
    }
}

extension HTTPRequest: Redacted {
    /// Method, origin and path. Query, header values and body are omitted, because they may be secret.
    public var description: String { "\(method) \(origin)\(path)" }
}
