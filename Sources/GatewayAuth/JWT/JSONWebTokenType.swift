import GatewayCore
import GatewayJSON

/// The type of a token in the header member `typ` (RFC 7515 §4.1.9). It prevents using a token of one type as another
/// (RFC 8725 §3.11).
public struct JSONWebTokenType: Hashable, Sendable, CustomStringConvertible {
    /// The media type without `application/`, in lower case.
    public let name: String

    /// Creates a type.
    ///
    /// - Parameter name: the media type, with or without `application/`, case-insensitive.
    public init(_ name: String) {
        let lowered = name.lowercased()
        self.name = lowered.hasPrefix("application/") ? String(lowered.dropFirst(12)) : lowered
    }

    /// `JWT`, or a missing `typ` (RFC 7519 §5.1).
    public static let jwt = JSONWebTokenType("jwt")
    /// An access token: `at+jwt` (RFC 9068 §2.1).
    public static let accessToken = JSONWebTokenType("at+jwt")

    /// The name.
    public var description: String { name }

    /// Whether the value of a header's `typ` is this type.
    func admits(_ value: JSONValue?) -> Bool {
        guard let value else { return self == .jwt }
        guard let text = value.string else { return false }
        return HTTPSyntax.equalIgnoringCase(text, name)
            || HTTPSyntax.equalIgnoringCase(text, "application/" + name)
    }
}
