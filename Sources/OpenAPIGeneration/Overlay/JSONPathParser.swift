/// Parses a JSONPath query (RFC 9535).
struct JSONPathParser {
    private let scalars: [Unicode.Scalar]
    private var offset = 0
    private var depth = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func path() throws(JSONPathError) -> [JSONPath.Segment] {
        guard take("$") else { throw failure("a JSONPath must begin with \"$\"") }
        let segments = try segments()
        guard offset == scalars.count else { throw failure("expected the end of the query") }
        return segments
    }

    private func failure(_ message: String) -> JSONPathError {
        JSONPathError(message: "\(message), at character \(offset + 1)")
    }

    private var next: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    @inline(never)
    private mutating func take(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard offset + wanted.count <= scalars.count,
            Array(scalars[offset..<(offset + wanted.count)]) == wanted
        else { return false }
        offset += wanted.count
        return true
    }

    private mutating func skipSpace() {
        while let scalar = next, [" ", "\t", "\n", "\r"].contains(scalar) { offset += 1 }
    }

    private mutating func segments() throws(JSONPathError) -> [JSONPath.Segment] {
        var result: [JSONPath.Segment] = []
        while true {
            let start = offset
            skipSpace()
            if take("..") {
                let selectors = next == "[" ? try bracket() : [try shorthand()]
                result.append(JSONPath.Segment(isDescendant: true, selectors: selectors))
            } else if take(".") {
                result.append(JSONPath.Segment(isDescendant: false, selectors: [try shorthand()]))
            } else if next == "[" {
                result.append(JSONPath.Segment(isDescendant: false, selectors: try bracket()))
            } else {
                offset = start
                return result
            }
        }
    }

    /// `.name` or `.*`; a name has letters, digits, `_` and non-ASCII characters.
    private mutating func shorthand() throws(JSONPathError) -> JSONPath.Selector {
        if take("*") { return .wildcard }
        var name = String.UnicodeScalarView()
        while let scalar = next, isNameScalar(scalar, isFirst: name.isEmpty) {
            name.append(scalar)
            offset += 1
        }
        guard !name.isEmpty else { throw failure("expected a name or \"*\"") }
        if next == "-" {
            throw failure("a name with \"-\" requires brackets and quotes: ['…']")
        }
        return .name(String(name))
    }

    private func isNameScalar(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case "0"..."9": !isFirst
        default: scalar.value > 0x7F
        }
    }

    private mutating func bracket() throws(JSONPathError) -> [JSONPath.Selector] {
        offset += 1
        var result: [JSONPath.Selector] = []
        while true {
            skipSpace()
            result.append(try selector())
            skipSpace()
            if take("]") { return result }
            guard take(",") else { throw failure("expected \",\" or \"]\"") }
        }
    }

    private mutating func selector() throws(JSONPathError) -> JSONPath.Selector {
        guard let first = next else { throw failure("unterminated brackets") }
        switch first {
        case "*":
            offset += 1
            return .wildcard
        case "'", "\"": return .name(try quoted())
        case "?":
            offset += 1
            skipSpace()
            return .filter(try disjunction())
        case ":": throw failure("slices are not supported")
        case "-", "0"..."9":
            let start = offset
            if first == "-" { offset += 1 }
            while let scalar = next, ("0"..."9").contains(scalar) { offset += 1 }
            let digits = String(String.UnicodeScalarView(scalars[start..<offset]))
            skipSpace()
            if next == ":" { throw failure("slices are not supported") }
            let bare = digits.drop { $0 == "-" }
            guard let index = Int(digits), bare == "0" ? first != "-" : bare.first != "0" else {
                throw failure("invalid index")
            }
            return .index(index)
        default: throw failure("expected a quoted name, an index, \"*\" or a filter")
        }
    }

    private mutating func quoted() throws(JSONPathError) -> String {
        let quote = scalars[offset]
        offset += 1
        var result = String.UnicodeScalarView()
        while let scalar = next {
            offset += 1
            if scalar == quote { return String(result) }
            guard scalar == "\\" else {
                guard scalar.value >= 0x20 else { throw failure("unescaped control character in a name") }
                result.append(scalar)
                continue
            }
            guard let escaped = next else { break }
            offset += 1
            switch escaped {
            case "b": result.append("\u{8}")
            case "f": result.append("\u{C}")
            case "n": result.append("\n")
            case "r": result.append("\r")
            case "t": result.append("\t")
            case "/", "\\": result.append(escaped)
            case quote: result.append(escaped)
            case "u": result.append(try unicode())
            default: throw failure("unknown escape sequence")
            }
        }
        throw failure("unterminated name")
    }

    private mutating func unicode() throws(JSONPathError) -> Unicode.Scalar {
        func unit(at start: Int) -> UInt32? {
            guard start + 4 <= scalars.count else { return nil }
            return UInt32(String(String.UnicodeScalarView(scalars[start..<(start + 4)])), radix: 16)
        }
        guard let first = unit(at: offset) else { throw failure("expected four hexadecimal digits") }
        offset += 4
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, take("\\u"), let second = unit(at: offset), (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("unpaired surrogate") }
        offset += 4
        return scalar
    }
}

// MARK: - Filters

extension JSONPathParser {
    private mutating func disjunction() throws(JSONPathError) -> JSONPath.Filter {
        depth += 1
        defer { depth -= 1 }
        guard depth < 64 else { throw failure("nested too deeply") }
        var result = try conjunction()
        while true {
            skipSpace()
            guard take("||") else { return result }
            skipSpace()
            result = .or(result, try conjunction())
        }
    }

    private mutating func conjunction() throws(JSONPathError) -> JSONPath.Filter {
        var result = try test()
        while true {
            skipSpace()
            guard take("&&") else { return result }
            skipSpace()
            result = .and(result, try test())
        }
    }

    private mutating func test() throws(JSONPathError) -> JSONPath.Filter {
        if next == "!" {
            offset += 1
            skipSpace()
            depth += 1
            defer { depth -= 1 }
            guard depth < 64 else { throw failure("nested too deeply") }
            return .not(try test())
        }
        if take("(") {
            skipSpace()
            let inner = try disjunction()
            skipSpace()
            guard take(")") else { throw failure("expected \")\"") }
            return inner
        }
        let left = try operand()
        skipSpace()
        for comparison in ["==", "!=", "<=", ">=", "<", ">"] where take(comparison) {
            skipSpace()
            return .compare(try single(left), comparison, try single(try operand()))
        }
        guard case .query(let query) = left else { throw failure("expected a comparison") }
        return .exists(query)
    }

    /// A query in a comparison selects at most one node.
    private func single(_ operand: JSONPath.Operand) throws(JSONPathError) -> JSONPath.Operand {
        guard case .query(let query) = operand else { return operand }
        for segment in query.segments {
            switch segment.selectors.first {
            case .name?, .index?: if !segment.isDescendant, segment.selectors.count == 1 { continue }
            default: break
            }
            throw failure("only a singular query can be compared")
        }
        return operand
    }

    private mutating func operand() throws(JSONPathError) -> JSONPath.Operand {
        guard let first = next else { throw failure("unterminated filter") }
        switch first {
        case "@", "$":
            offset += 1
            return .query(JSONPath.Query(isRelative: first == "@", segments: try segments()))
        case "'", "\"": return .literal(.string(try quoted()))
        case "-", "0"..."9":
            var text = ""
            while let scalar = next, "+-.eE0123456789".unicodeScalars.contains(scalar) {
                text.unicodeScalars.append(scalar)
                offset += 1
            }
            guard let number = YAMLScalar.number(text) else { throw failure("invalid number") }
            return .literal(.number(number))
        default:
            for (word, value) in [("true", Node.Value.bool(true)), ("false", .bool(false)), ("null", .null)]
            where take(word) { return .literal(value) }
            if ("a"..."z").contains(first) { throw failure("functions are not supported") }
            throw failure("expected \"@\", \"$\" or a literal")
        }
    }
}
