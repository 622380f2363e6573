public import GatewayCore
public import GatewayJSON

/// A JSON Web Token in its compact, signed form (RFC 7519, RFC 7515 §7.1): read strictly, with the signature not yet
/// checked.
///
/// Reading a token says what it claims, not whether that is true: ``verify(_:key:)`` does. A client may read the end
/// of its own access token as a hint, and nothing else.
public struct JSONWebToken: Sendable {
    /// The longest token that is made or read, in bytes. libjwt keeps tokens on the stack.
    public static let maximumBytes = 16 << 10

    /// The members of the header.
    public let header: [String: JSONValue]
    /// The members of the payload.
    public let claims: [String: JSONValue]

    /// Reads a token.
    ///
    /// - Parameter token: exactly three parts of base64url without padding; header and payload are JSON objects
    ///   without duplicate keys; `exp`, `nbf` and `iat` are numbers where they occur (RFC 7519 §2, §4.1).
    /// - Throws: ``JSONWebTokenError`` with code `malformed`.
    public init(decoding token: Secret) throws(JSONWebTokenError) {
        let text = token.exposed.utf8
        guard text.count <= Self.maximumBytes else {
            throw JSONWebTokenError(.malformed, "The token is longer than \(Self.maximumBytes) bytes.")
        }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw JSONWebTokenError(.malformed, "A signed token has three parts.")
        }
        header = try Self.object(parts[0], "header")
        claims = try Self.object(parts[1], "payload")
        guard Base64.decodeURL(parts[2]) != nil else {
            throw JSONWebTokenError(.malformed, "The signature is not base64url.")
        }
        for name in ["exp", "nbf", "iat"] { try checkDate(name) }
    }

    private static func object(
        _ part: Substring.UTF8View, _ name: String
    ) throws(JSONWebTokenError) -> [String: JSONValue] {
        guard let bytes = Base64.decodeURL(part) else {
            throw JSONWebTokenError(.malformed, "The \(name) is not base64url.")
        }
        // The reader's message might quote the token.
        guard
            case .object(let members)? = try? JSONValue(
                jsonBytes: bytes, limits: JSONLimits(depth: 32, bytes: maximumBytes))
        else { throw JSONWebTokenError(.malformed, "The \(name) is not a JSON object with unique keys.") }
        return members
    }

    private func checkDate(_ name: String) throws(JSONWebTokenError) {
        guard claims[name] == nil || date(name) != nil else {
            throw JSONWebTokenError(.malformed, "The claim '\(name)' is not a number of seconds.")
        }
    }

    /// A NumericDate (RFC 7519 §2), held within the years that a calendar has.
    private func date(_ name: String) -> Duration? {
        guard let seconds = claims[name]?.double, !seconds.isNaN else { return nil }
        return .seconds(min(max(seconds, 0), 253_402_300_799))
    }

    /// `exp`: when the token ends, since 1970-01-01T00:00:00Z.
    public var expiration: Duration? { date("exp") }
    /// `nbf`: from when on the token may be used.
    public var notBefore: Duration? { date("nbf") }
    /// `iat`: when the token was issued.
    public var issuedAt: Duration? { date("iat") }
    /// `iss`: who issued it.
    public var issuer: String? { claims["iss"]?.string }
    /// `sub`: whom it speaks of.
    public var subject: String? { claims["sub"]?.string }
    /// `aud`: for whom it is meant; a single text or a list (RFC 7519 §4.1.3).
    public var audiences: [String] {
        switch claims["aud"] {
        case .string(let audience): [audience]
        case .array(let audiences): audiences.compactMap(\.string)
        default: []
        }
    }
}

extension JSONWebToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the claims; never their values.
    public var description: String { "JWT with \(claims.keys.sorted().joined(separator: ", "))" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Shows no more than the description does.
    public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}
