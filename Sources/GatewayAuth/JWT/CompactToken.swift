import GatewayCore
import GatewayJSON

/// The three parts of a signed token in its compact form (RFC 7515 §7.1), taken apart strictly. What the claims mean is
/// not looked at.
struct CompactToken {
    /// Deeper headers and payloads are refused: whoever reads them next may recurse.
    private static let maximumDepth = 32

    let header: [String: JSONValue]
    let claims: [String: JSONValue]
    let signature: [UInt8]
    /// What was signed: header and payload as they were written, with the dot between them.
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
        // The reader's message might quote the token.
        let limits = JSONLimits(depth: maximumDepth, bytes: JSONWebToken.maximumBytes)
        guard let root = try? JSONDocument(bytes, limits: limits).root, let object = try? root.object(),
            let members = try? [String: JSONValue](json: root),
            // Strings of Swift are equal where Unicode takes them for the same text, though their bytes differ.
            members.count == object.count
        else {
            throw JSONWebTokenError(.malformed, "The \(name) is not a JSON object with unique keys.")
        }
        return members
    }

    /// The value of `alg`.
    var algorithm: String? { header["alg"]?.string }

    /// A NumericDate (RFC 7519 §2), held within the years that a calendar has; `nil` for what is no number.
    static func date(_ value: JSONValue?) -> Duration? {
        guard let seconds = value?.double, !seconds.isNaN else { return nil }
        return .seconds(min(max(seconds, 0), 253_402_300_799))
    }
}

extension String {
    /// Whether both have the same bytes. `==` also holds for texts that only look alike, such as the letter K and the
    /// kelvin sign; identifiers are compared byte by byte (RFC 7519 §2, StringOrURI).
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
