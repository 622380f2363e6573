import GatewayCore
import GatewayJSON

/// The three parts of a signed token in compact form (RFC 7515 §7.1), parsed strictly. The claims are not interpreted.
struct CompactToken {
    /// The maximum nesting depth of header and payload. Why: code that processes them may be recursive.
    private static let maximumDepth = 32

    let header: [String: JSONValue]
    let claims: [String: JSONValue]
    let signature: [UInt8]
    /// The signed bytes: the encoded header and payload, with the dot between them.
    let signedBytes: [UInt8]

    init(_ token: Secret) throws(JSONWebTokenError) {
        let text = token.exposed.utf8
        guard text.count <= JSONWebToken.maximumBytes else {
            throw JSONWebTokenError(
                .malformed, "The token is longer than \(JSONWebToken.maximumBytes) bytes.")
        }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw JSONWebTokenError(.malformed, "A signed token has three parts.")
        }
        header = try Self.object(parts[0], "header")
        claims = try Self.object(parts[1], "payload")
        guard let signature = Base64.decodeURL(parts[2]) else {
            throw JSONWebTokenError(.malformed, "The signature is not valid base64url.")
        }
        self.signature = signature
        signedBytes = Array(text.prefix(parts[0].count + 1 + parts[1].count))
    }

    private static func object(
        _ part: Substring.UTF8View, _ name: String
    ) throws(JSONWebTokenError) -> [String: JSONValue] {
        guard let bytes = Base64.decodeURL(part) else {
            throw JSONWebTokenError(.malformed, "The \(name) is not valid base64url.")
        }
        // The JSON error is not used, because its message could contain parts of the token.
        let limits = JSONLimits(depth: maximumDepth, bytes: JSONWebToken.maximumBytes)
        guard let root = try? JSONDocument(bytes, limits: limits).root, let object = try? root.object(),
            let members = try? [String: JSONValue](json: root),
            // Swift compares strings by canonical equivalence, so different JSON keys can be equal as dictionary keys.
            members.count == object.count
        else {
            throw JSONWebTokenError(.malformed, "The \(name) is not a JSON object with unique keys.")
        }
        return members
    }

    /// The member `alg` of the header.
    var algorithm: String? { header["alg"]?.string }

    /// A NumericDate (RFC 7519 §2), clamped to the years 1970 to 9999; `nil` if it is not a number.
    static func date(_ value: JSONValue?) -> Duration? {
        guard let seconds = value?.double, !seconds.isNaN else { return nil }
        return .seconds(min(max(seconds, 0), 253_402_300_799))
    }
}

extension String {
    /// Whether both strings have the same bytes. `==` also holds for canonically equivalent strings, such as the letter
    /// K and the kelvin sign. Identifiers must be compared byte by byte (RFC 7519 §2, StringOrURI).
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
