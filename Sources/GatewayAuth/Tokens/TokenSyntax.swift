import GatewayCore

/// The syntax of access tokens.
///
/// RFC 6750 §2.1 (`b64token`) allows fewer characters, but services issue tokens with others, such as `|` and `:`. All
/// visible ASCII characters are allowed except the comma, which separates list elements in a field (RFC 9110 §5.6.1).
package enum TokenSyntax {
    /// The byte order mark in UTF-8.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether a text can be sent as an access token.
    static func isSendable(_ text: String) -> Bool { fault(in: text) == nil }

    /// Why a text cannot be sent as an access token, as the predicate of a sentence about the token; `nil` if it can.
    /// It contains no part of the text.
    package static func fault(in text: String) -> String? {
        let bytes = text.utf8
        if bytes.isEmpty { return "is empty" }
        if bytes.starts(with: byteOrderMark) { return "begins with a byte order mark: leave it out" }
        for scheme in ["Bearer", "DPoP"] {
            let start = String(decoding: bytes.prefix(scheme.utf8.count + 1), as: UTF8.self)
            if HTTPSyntax.equalIgnoringCase(start, scheme + " ") {
                return "begins with the scheme `\(scheme)`: leave it out"
            }
        }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }) else {
            return "has a character that cannot be sent: tokens are visible ASCII without space and comma"
        }
        return nil
    }
}
