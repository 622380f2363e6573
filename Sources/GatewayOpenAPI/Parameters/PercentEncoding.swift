internal import GatewayCore

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
enum PercentEncoding {
    /// The characters that are not percent-encoded.
    enum Allowed {
        /// Letters, digits, `-`, `.`, `_`, `~`.
        case unreserved
        /// The unreserved characters, the reserved characters that a query allows, and percent-encoded triplets.
        case reserved
        /// The same for a segment of a path.
        case reservedInPath
        /// The same for a cookie.
        case reservedInCookie
        /// `application/x-www-form-urlencoded` (WHATWG URL): letters, digits, `*`, `-`, `.`, `_`; a space is `+`.
        case form
    }

    static func encode(_ text: String, _ allowed: Allowed = .unreserved) -> String {
        var result = ""
        append(text, allowed, to: &result)
        return result
    }

    static func append(_ text: String, _ allowed: Allowed = .unreserved, to result: inout String) {
        if text.utf8.allSatisfy({ isPlain($0) }) {
            result += text
            return
        }
        let bytes = Array(text.utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count * 2)
        for (index, byte) in bytes.enumerated() {
            if isPlain(byte) || keeps(byte, at: index, of: bytes, allowed) {
                encoded.append(byte)
            } else if allowed == .form && byte == 0x20 {
                encoded.append(UInt8(ascii: "+"))
            } else {
                encoded.append(percentEncoding: byte)
            }
        }
        result += String(decoding: encoded, as: UTF8.self)
    }

    /// Letters, digits, `-`, `.`, `_`: never encoded.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-._".utf8.contains(byte)
    }

    private static func keeps(_ byte: UInt8, at index: Int, of bytes: [UInt8], _ allowed: Allowed) -> Bool {
        switch allowed {
        case .unreserved: return byte == UInt8(ascii: "~")
        case .form: return byte == UInt8(ascii: "*")
        case .reserved, .reservedInPath, .reservedInCookie:
            if byte == UInt8(ascii: "%") {
                return index + 2 < bytes.count && bytes[index + 1].hexadecimalValue != nil
                    && bytes[index + 2].hexadecimalValue != nil
            }
            return allowed.kept.utf8.contains(byte)
        }
    }
}

extension PercentEncoding.Allowed {
    /// The characters besides letters, digits, `-`, `.` and `_` where reserved ones are not encoded.
    fileprivate var kept: String {
        switch self {
        case .unreserved, .form: ""
        // Without "#", "[" and "]", which a query does not allow (RFC 3986, section 3.4).
        case .reserved: "~:/?@!$&'()*+,;="
        // "/", "?" and "#" would end the segment (OpenAPI 3.2, Path Templating).
        case .reservedInPath: "~:@!$&'()*+,;="
        // "," and ";" are not allowed (RFC 6265, section 4.1.1).
        case .reservedInCookie: "~:/?#[]@!$&'()*+="
        }
    }
}
