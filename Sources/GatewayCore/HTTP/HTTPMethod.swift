/// An HTTP request method (RFC 9110 §9). Methods are case-sensitive tokens.
///
/// Any token is a method; the registered ones have constants. A value that is no token is refused by
/// ``HTTPRequest/validate()`` before anything is sent.
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    /// The method's name as it goes on the wire.
    public let rawValue: String

    /// Makes a method of any token, such as `"PROPFIND"`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// What may be printed.
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

    /// Whether the method only reads (RFC 9110 §9.2.1).
    public var isSafe: Bool {
        switch rawValue {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Whether sending the request twice has the effect of sending it once (RFC 9110 §9.2.2). `QUERY` reads, too; but
    /// what it asks for is in its body, so that it is not counted among those that a URL alone tells apart.
    public var isIdempotent: Bool { isSafe || ["PUT", "DELETE", "QUERY"].contains(rawValue) }
}
