/// Resolves YAML scalars by the core schema (YAML 1.2.2, section 10.3.2).
///
/// libyaml does not resolve scalars. Unlike in YAML 1.1, `no`, `on`, `0777` and `1:30` are not booleans or other
/// numbers.
enum YAMLScalar {
    /// The value of a plain (unquoted) scalar.
    static func resolve(plain text: String) -> Node.Value {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        guard let first = text.utf8.first, mayBeginNumber(first) else { return .string(text) }
        if let number = number(text) { return .number(number) }
        return .string(text)
    }

    private static func mayBeginNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// `text` as a JSON number. Nil if it is not a number, or if it is an infinity or NaN, which JSON does not have.
    static func number(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if bytes.count > 2, bytes[0] == UInt8(ascii: "0") {
            if bytes[1] == UInt8(ascii: "o") { return integer(text.dropFirst(2), radix: 8) }
            if bytes[1] == UInt8(ascii: "x") { return integer(text.dropFirst(2), radix: 16) }
        }
        var scanner = NumberScanner(bytes: bytes)
        return scanner.jsonText()
    }

    private static func integer(_ digits: Substring, radix: Int) -> String? {
        guard digits.first != "-", digits.first != "+" else { return nil }
        return UInt64(digits, radix: radix).map { String($0) }
    }
}

/// Reads `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
private struct NumberScanner {
    let bytes: [UInt8]
    var offset = 0

    mutating func jsonText() -> String? {
        var result: [UInt8] = []
        if let sign = peek(), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            if sign == UInt8(ascii: "-") { result.append(sign) }
            offset += 1
        }
        let whole = digits()
        var fraction: ArraySlice<UInt8> = []
        if peek() == UInt8(ascii: ".") {
            offset += 1
            fraction = digits()
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        let significant = whole.drop { $0 == UInt8(ascii: "0") }
        result.append(contentsOf: significant.isEmpty ? [UInt8(ascii: "0")] : significant)
        if !fraction.isEmpty {
            result.append(UInt8(ascii: "."))
            result.append(contentsOf: fraction)
        }
        if let mark = peek(), mark | 0x20 == UInt8(ascii: "e") {
            result.append(mark)
            offset += 1
            if let sign = peek(), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                result.append(sign)
                offset += 1
            }
            let exponent = digits()
            guard !exponent.isEmpty else { return nil }
            result.append(contentsOf: exponent)
        }
        return offset == bytes.count ? String(decoding: result, as: UTF8.self) : nil
    }

    private func peek() -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    private mutating func digits() -> ArraySlice<UInt8> {
        let start = offset
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { offset += 1 }
        return bytes[start..<offset]
    }
}
