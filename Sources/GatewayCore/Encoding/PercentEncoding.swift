extension UInt8 {
    /// Whether the byte is an unreserved character of a URI (RFC 3986 §2.3).
    package var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }
}

extension [UInt8] {
    /// Appends the percent-encoding of a byte (RFC 3986 §2.1).
    package mutating func append(percentEncoding byte: UInt8) {
        let digits = Array("0123456789ABCDEF".utf8)
        self += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

extension String {
    /// Percent-encodes all bytes but those that are kept (RFC 3986 §2.1).
    package init(percentEncoding bytes: [UInt8], keeping isKept: (UInt8) -> Bool) {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for byte in bytes {
            if isKept(byte) { encoded.append(byte) } else { encoded.append(percentEncoding: byte) }
        }
        self.init(decoding: encoded, as: UTF8.self)
    }

    /// Decodes percent-encoded bytes (RFC 3986 §2.1). A `%` that no two hexadecimal digits follow is kept.
    package init(percentDecoding bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
                let low = rest.dropFirst().first?.hexadecimalValue
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        self.init(decoding: decoded, as: UTF8.self)
    }
}

/// Names and values in the form encoding (WHATWG URL §5).
package enum URLEncodedForm {
    /// A name or value in the form encoding.
    package static func encode(_ text: String) -> String {
        String(percentEncoding: Array(text.utf8)) { $0.isAlphanumeric || "-._* ".utf8.contains($0) }
            .replacing(" ", with: "+")
    }

    /// The content of a form.
    package static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { encode($0.0) + "=" + encode($0.1) }.joined(separator: "&")
    }

    /// The pairs of a form, or of a query string. A name without a value has an empty one.
    package static func decode(_ bytes: some Sequence<UInt8>) -> [(name: String, value: String)] {
        // An array, as in ``Base64``.
        Array(bytes).split(separator: UInt8(ascii: "&")).map { pair in
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (text(pair[..<mark]), text(pair[mark...].dropFirst()))
        }
    }

    /// A name or value that is in the form encoding. Bytes that are not UTF-8 become replacement characters.
    package static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(percentDecoding: bytes, plusIsSpace: true)
    }
}
