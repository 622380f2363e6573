/// The `{names}` in a path.
enum PathTemplate {
    /// In order, repeated ones too.
    static func names(_ path: String) -> [String] {
        var result: [String] = []
        var rest = request(path)[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result.append(String(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        return result
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
        let path = request(path)
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
