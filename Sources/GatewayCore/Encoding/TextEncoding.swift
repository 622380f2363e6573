/// The character encoding of text in a message (RFC 9110 §8.3.2).
package enum TextEncoding: Sendable {
    case utf8, ascii, latin1, utf16, utf16LittleEndian, utf16BigEndian

    /// The encoding for the name of a charset; `nil` if it is not supported.
    package init?(charset: String) {
        switch charset.lowercased() {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "latin1": self = .latin1
        case "utf-16": self = .utf16
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        default: return nil
        }
    }

    /// Decodes text and removes a byte order mark; `nil` if the bytes are not valid.
    package func text(_ bytes: ArraySlice<UInt8>) -> String? {
        switch self {
        case .utf8:
            return String(
                validating: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes, as: UTF8.self
            )
        case .ascii:
            return bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .latin1: return String(decoding: bytes.lazy.map { UInt16($0) }, as: UTF16.self)
        case .utf16:
            // Without a byte order mark UTF-16 is big-endian (RFC 2781 §4.3).
            return Self.utf16(bytes, isLittleEndian: bytes.starts(with: [0xFF, 0xFE]))
        case .utf16LittleEndian: return Self.utf16(bytes, isLittleEndian: true)
        case .utf16BigEndian: return Self.utf16(bytes, isLittleEndian: false)
        }
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> String? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isLittleEndian ? second << 8 | first : first << 8 | second)
        }
        return String(validating: units.first == 0xFEFF ? units.dropFirst() : units[...], as: UTF16.self)
    }
}

/// Why content cannot be read as text.
package struct TextError: Error {
    /// The reason, without any part of the content.
    package let message: String
}

extension HTTPFields {
    /// The `charset` of `Content-Type`; `nil` if there is none.
    package var charset: String? {
        guard let value = values(for: .contentType).first else { return nil }
        var rest = value.utf8.drop { $0 != UInt8(ascii: ";") }
        while rest.popFirst() != nil {
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(name.count)
            var text: [UInt8] = []
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                text = Self.parameterValue(&rest)
            }
            rest = rest.drop { $0 != UInt8(ascii: ";") }
            if Self.trimmed(name).lowercased() == "charset" { return Self.trimmed(text) }
        }
        return nil
    }

    /// Reads a token, or the content of a quoted string (RFC 9110 §5.6.6).
    private static func parameterValue(_ rest: inout String.UTF8View.SubSequence) -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else {
            let text = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(text.count)
            return Array(text)
        }
        rest = rest.dropFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            text.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return text
    }

    private static func trimmed(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).trimmingHTTPWhitespace()
    }

    /// Decodes content as text, in the charset of `Content-Type`, or UTF-8 without one.
    ///
    /// - Parameter isTruncated: whether the content may end inside of a character, which is then omitted.
    package func text(of content: [UInt8], isTruncated: Bool = false) throws(TextError) -> String {
        if case .conflict = occurrence(of: .contentType) {
            throw TextError(message: "the Content-Type occurs several times, with different values")
        }
        var encoding = TextEncoding.utf8
        if let charset {
            guard let known = TextEncoding(charset: charset) else {
                let name = charset.utf8.count <= 40 && HTTPSyntax.isToken(charset.utf8) ? " '\(charset)'" : ""
                throw TextError(
                    message: "the charset\(name) is not supported; UTF-8, US-ASCII, ISO-8859-1 and UTF-16 are"
                )
            }
            encoding = known
        }
        for count in 0...(isTruncated ? Swift.min(3, content.count) : 0) {
            if let text = encoding.text(content.dropLast(count)) { return text }
        }
        throw TextError(message: "the body is not valid in its charset\(charset == nil ? ", UTF-8" : "")")
    }
}
