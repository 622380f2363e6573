/// The `{names}` in a path.
enum PathTemplate {
    /// In order, repeated ones too.
    static func names(_ path: String) -> [String] {
        var result: [String] = []
        var rest = path[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result.append(String(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        return result
    }

    /// Whether the text outside of braces is a valid path and query (RFC 3986, sections 3.3 and 3.4). Some documents
    /// distinguish operations by a fixed query.
    static func isPath(_ path: String) -> Bool {
        var rest = path[...]
        var literal = ""
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            literal += rest[..<open]
            rest = rest[rest.index(after: close)...]
        }
        literal += rest
        return literal.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~!$&'()*+,;=:@/%?".utf8.contains(byte)
            }
        }
    }
}
