/// An HTTP request method (RFC 9110 §9). Methods are case-sensitive tokens.
///
/// Any token is a method; registered methods have constants. A value that is not a token is rejected by
/// ``HTTPRequest/validate()`` before anything is sent.
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    /// The method name as sent.
    public let rawValue: String

    /// Creates a method from any token, such as `"PROPFIND"`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The method name.
    public var description: String { rawValue }

    /// `GET` (RFC 9110 §9.3.1).
    public static let get = HTTPMethod("GET")
    /// `HEAD` (RFC 9110 §9.3.2).
    public static let head = HTTPMethod("HEAD")
    /// `POST` (RFC 9110 §9.3.3).
    public static let post = HTTPMethod("POST")
    /// `PUT` (RFC 9110 §9.3.4).
    public static let put = HTTPMethod("PUT")
    /// `DELETE` (RFC 9110 §9.3.5).
    public static let delete = HTTPMethod("DELETE")
    /// `OPTIONS` (RFC 9110 §9.3.7).
    public static let options = HTTPMethod("OPTIONS")
    /// `TRACE` (RFC 9110 §9.3.8).
    public static let trace = HTTPMethod("TRACE")
    /// `PATCH` (RFC 5789).
    public static let patch = HTTPMethod("PATCH")

    /// Whether the method is safe, that is, read-only (RFC 9110 §9.2.1).
    public var isSafe: Bool {
        switch rawValue {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Whether the method is idempotent: sending the request several times has the same effect as sending it once (RFC
    /// 9110 §9.2.2). `QUERY` is idempotent, but not included in ``isSafe``, because its result depends on its body and
    /// not only on its URL.
    public var isIdempotent: Bool { isSafe || ["PUT", "DELETE", "QUERY"].contains(rawValue) }
}
