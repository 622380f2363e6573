/// One header or trailer field: a name and a value (RFC 9110 §5).
public struct HTTPField: Hashable, Sendable {
    /// The field's name.
    public var name: Name
    /// The field's value, without leading and trailing white space. If a received value is not UTF-8, each byte becomes
    /// a character from U+0000 to U+00FF (ISO-8859-1, RFC 9110 §5.5), so that no byte is lost; see ``bytes``. Values
    /// are sent in UTF-8.
    public var value: String { didSet { isUTF8 = true } }
    /// Whether the value is UTF-8.
    package private(set) var isUTF8 = true

    /// Creates a field. Invalid characters are kept here and rejected by ``HTTPRequest/validate()``.
    public init(_ name: Name, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Creates a field from a received value with any bytes.
    package init(_ name: Name, bytes: [UInt8]) {
        self.name = name
        if let text = String(validating: bytes, as: UTF8.self) {
            value = text
        } else {
            value = String(decoding: bytes.map { UInt16($0) }, as: UTF16.self)
            isUTF8 = false
        }
    }

    /// The bytes of the value as received.
    public var bytes: [UInt8] {
        isUTF8 ? Array(value.utf8) : value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// The value as a URL reference: bytes that are not UTF-8 are percent-encoded (RFC 3986 §2.1).
    package var reference: String {
        isUTF8 ? value : String(percentEncoding: bytes) { $0 < 0x80 }
    }

    /// Whether the name is a token and the value has no control characters except HTAB (RFC 9110 §5.5).
    public var isValid: Bool {
        HTTPSyntax.isToken(name.rawName.utf8) && HTTPSyntax.isFieldValue(value.utf8)
    }
}

extension HTTPField {
    /// A field name. Names are compared without regard to ASCII case (RFC 9110 §5.1); their spelling is kept.
    public struct Name: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name as written.
        public let rawName: String

        /// Creates a name.
        public init(_ rawName: String) { self.rawName = rawName }

        /// Creates a name from a literal.
        public init(stringLiteral value: String) { self.rawName = value }

        /// The name in lower case.
        public var canonicalName: String { rawName.lowercased() }

        /// The name as written.
        public var description: String { rawName }
    }
}

extension HTTPField.Name: Hashable {
    /// Compares names without regard to ASCII case.
    public static func == (a: Self, b: Self) -> Bool {
        HTTPSyntax.equalIgnoringCase(a.rawName, b.rawName)
    }

    /// Hashes the name without regard to ASCII case.
    public func hash(into hasher: inout Hasher) {
        // FNV-1a. Passing each byte to the hasher takes ten times as long.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in rawName.utf8 { digest = (digest ^ UInt64(HTTPSyntax.lowercase(byte))) &* 0x100_0000_01B3 }
        hasher.combine(digest)
    }
}

extension HTTPField.Name {
    /// `Accept` (RFC 9110 §12.5.1).
    public static let accept = Self("Accept")
    /// `Authorization` (RFC 9110 §11.6.2).
    public static let authorization = Self("Authorization")
    /// `Content-Length` (RFC 9110 §8.6).
    public static let contentLength = Self("Content-Length")
    /// `Content-Type` (RFC 9110 §8.3).
    public static let contentType = Self("Content-Type")
    /// `Cookie` (RFC 6265 §5.4).
    public static let cookie = Self("Cookie")
    /// `Date` (RFC 9110 §6.6.1).
    public static let date = Self("Date")
    /// `Host` (RFC 9110 §7.2).
    public static let host = Self("Host")
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey = Self("Idempotency-Key")
    /// `Location` (RFC 9110 §10.2.2).
    public static let location = Self("Location")
    /// `Range` (RFC 9110 §14.2).
    public static let range = Self("Range")
    /// `Retry-After` (RFC 9110 §10.2.3).
    public static let retryAfter = Self("Retry-After")
    /// `Transfer-Encoding` (RFC 9112 §6.1).
    public static let transferEncoding = Self("Transfer-Encoding")
    /// `User-Agent` (RFC 9110 §10.1.5).
    public static let userAgent = Self("User-Agent")
    /// `WWW-Authenticate` (RFC 9110 §11.6.1).
    public static let wwwAuthenticate = Self("WWW-Authenticate")
    /// `X-Request-ID`, the common name of a request identifier.
    public static let requestID = Self("X-Request-ID")

    /// The header fields of responses in which servers commonly return their ID of a request, the most common one first.
    public static let requestIDs: [HTTPField.Name] = [
        .requestID, "Request-Id", "X-Correlation-ID", "X-Amzn-RequestId", "X-Amz-Request-Id",
        "X-Ms-Request-Id",
    ]
}
