/// A JSON pointer (RFC 6901) as a URI fragment: `#/components/schemas/Pet`. It identifies a place of the document;
/// generated names and the distribution over files depend on it.
struct JSONPointer: Hashable, Sendable, Comparable {
    /// `#`, then `/token` for each step. `~` and `/` in a token are escaped as `~0` and `~1`.
    let text: String

    static let root = JSONPointer(text: "#")

    private init(text: String) { self.text = text }

    @inline(never)
    init(tokens: [String]) {
        text = tokens.reduce(into: "#") { $0 += "/" + Self.escaped($1) }
    }

    @inline(never)
    func appending(_ token: String) -> JSONPointer {
        let token = Self.escaped(token)
        var result = ""
        result.reserveCapacity(text.utf8.count + 1 + token.utf8.count)
        for part in [text, "/", token] { result += part }
        return JSONPointer(text: result)
    }

    @inline(never)
    func appending(_ index: Int) -> JSONPointer {
        JSONPointer(text: text + "/" + String(index))
    }

    func appending(_ step: JSONPath.Step) -> JSONPointer {
        switch step {
        case .key(let token): appending(token)
        case .index(let index): appending(index)
        }
    }

    /// As a reference's fragment, with what is not allowed there percent-encoded (RFC 3986, section 3.5).
    var reference: String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
    }

    /// A token as an array's index (RFC 6901, section 4): digits without a leading zero.
    static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            token.utf8.count == 1 || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }

    /// The steps, unescaped.
    var tokens: [String] { Self.tokens(of: text) }

    /// The steps after the first slash of a text, unescaped. Why bytes: a combining mark is of one character with the
    /// slash before it.
    static func tokens(of text: some StringProtocol) -> [String] {
        text.split(atByte: "/").dropFirst().map { unescaped($0.utf8) }
    }

    static func == (lhs: JSONPointer, rhs: JSONPointer) -> Bool { lhs.text.isSame(as: rhs.text) }

    func hash(into hasher: inout Hasher) { ExactText(text).hash(into: &hasher) }

    static func < (lhs: JSONPointer, rhs: JSONPointer) -> Bool { ExactText(lhs.text) < ExactText(rhs.text) }

    private static func escaped(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return token
        }
        var result: [UInt8] = []
        for byte in token.utf8 {
            switch byte {
            case UInt8(ascii: "~"): result += [UInt8(ascii: "~"), UInt8(ascii: "0")]
            case UInt8(ascii: "/"): result += [UInt8(ascii: "~"), UInt8(ascii: "1")]
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func unescaped(_ token: some Collection<UInt8>) -> String {
        guard token.contains(UInt8(ascii: "~")) else { return String(decoding: token, as: UTF8.self) }
        var result: [UInt8] = []
        var isEscape = false
        for byte in token {
            if isEscape {
                isEscape = false
                switch byte {
                case UInt8(ascii: "0"): result.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): result.append(UInt8(ascii: "/"))
                default: result += [UInt8(ascii: "~"), byte]
                }
            } else if byte == UInt8(ascii: "~") {
                isEscape = true
            } else {
                result.append(byte)
            }
        }
        if isEscape { result.append(UInt8(ascii: "~")) }
        return String(decoding: result, as: UTF8.self)
    }
}
