import GatewayCore
import GatewayJSON

/// What kind of token a header's `typ` names (RFC 7515 §4.1.9), so that one kind is never taken for another (RFC 8725
/// §3.11).
public struct JSONWebTokenType: Hashable, Sendable, CustomStringConvertible {
    /// The media type without `application/`, in lower case.
    public let name: String

    /// A type of your own.
    ///
    /// - Parameter name: the media type, with or without `application/`; ASCII case does not count.
    public init(_ name: String) {
        let lowered = name.lowercased()
        self.name = lowered.hasPrefix("application/") ? String(lowered.dropFirst(12)) : lowered
    }

    /// A token that says nothing more: `JWT`, or no `typ` at all (RFC 7519 §5.1).
    public static let jwt = JSONWebTokenType("jwt")
    /// An access token: `at+jwt` (RFC 9068 §2.1).
    public static let accessToken = JSONWebTokenType("at+jwt")

    /// The name.
    public var description: String { name }

    /// Whether a header's `typ` names this type.
    func admits(_ value: JSONValue?) -> Bool {
        guard let value else { return self == .jwt }
        guard let text = value.string else { return false }
        return HTTPSyntax.equalIgnoringCase(text, name)
            || HTTPSyntax.equalIgnoringCase(text, "application/" + name)
    }
}
