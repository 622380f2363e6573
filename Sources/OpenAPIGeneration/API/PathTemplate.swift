/// The `{names}` in a path.
enum PathTemplate {
    /// The names in order, including duplicates.
    static func names(_ path: String) -> [String] {
        parts(request(path)).names
    }

    /// The names in braces, and the text outside the braces.
    static func parts(_ text: String) -> (names: [String], literal: String) {
        var names: [String] = []
        var literal = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            names.append(String(rest[rest.index(after: open)..<close]))
            literal += rest[..<open]
            rest = rest[rest.index(after: close)...]
        }
        return (names, literal + rest)
    }

    /// The path that is requested: without its fragment, which clients do not send (RFC 9110, section 7.1). Some
    /// documents distinguish operations by a fragment.
    static func request(_ path: String) -> String {
        var isParameter = false
        for index in path.indices {
            switch path[index] {
            case "{": isParameter = true
            case "}": isParameter = false
            case "#" where !isParameter: return String(path[..<index])
            default: break
            }
        }
        return path
    }

    /// Whether the text outside of braces is a valid path and query (RFC 3986, sections 3.3 and 3.4). Some documents
    /// distinguish operations by a fixed query. The fragment is ignored.
    static func isPath(_ path: String) -> Bool {
        parts(request(path)).literal.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~!$&'()*+,;=:@/%?".utf8.contains(byte)
            }
        }
    }
}
