/// Derives Swift names from text. The result is always a valid identifier.
enum SwiftName {
    /// A type's name: each word capitalised, the rest as written.
    @inline(never)
    static func type(_ text: String) -> String {
        let name = leadingDigit(words(text).map { capitalised($0) }.joined())
        return reservedTypes.contains(name) ? name + "_" : name
    }

    /// A member's name: the first word in lower case, the others capitalised. Keywords are not yet escaped.
    static func member(_ text: String) -> String {
        member(words: words(text))
    }

    /// The name of an enum case: like a member's name, but never the name of a case of `Optional`. Why: for an optional
    /// value, Swift reads `.none` as nil.
    @inline(never)
    static func enumCase(_ text: String) -> String {
        let name = member(text)
        return optionalCases.contains(name) ? name + "_" : name
    }

    /// The cases of `Optional`.
    static let optionalCases: Set<String> = ["none", "some"]

    static func member(words: [String]) -> String {
        guard let first = words.first else { return "value" }
        let name = leadingDigit(first.lowercased() + words.dropFirst().map { capitalised($0) }.joined())
        return unescapable.contains(name) ? name + "_" : name
    }

    /// Whether a text is a name that this type can produce, including suffixes for collisions. Method names may be
    /// keywords, which are escaped in declarations; type names may not.
    static func isSettled(_ text: String, isMethod: Bool) -> Bool {
        guard let first = text.unicodeScalars.first, text.utf8.count <= 4096, !("0"..."9").contains(first),
            text.unicodeScalars.allSatisfy({ $0 == "_" || kind($0) != .separator }), text != "_",
            !unescapable.contains(text)
        else { return false }
        return isMethod || (!reservedTypes.contains(text) && !keywords.contains(text))
    }

    /// Whether a text is a valid type or method name without changes.
    static func isIdentifier(_ text: String) -> Bool {
        type(text) == text || (member(text) == text && escaped(text) == text)
    }

    /// A member's name as it is declared and used: keywords in backticks.
    @inline(never)
    static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// A member's name as an argument label. Only a few keywords need backticks there; the others are written without
    /// them.
    static func label(_ name: String) -> String {
        ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
    }

    /// The words of a text: split at characters other than letters and digits, at `aB`, and before the `Bc` of `ABc`.
    /// Never empty.
    static func words(_ text: String) -> [String] {
        guard !text.isEmpty else { return ["value"] }
        var result = split(text)
        if let first = text.utf8.first, text.utf8.count > 1 {
            let second = text.utf8[text.utf8.index(after: text.utf8.startIndex)]
            if isDigit(second) {
                if first == UInt8(ascii: "+") { result.insert("plus", at: 0) }
                if first == UInt8(ascii: "-") { result.insert("minus", at: 0) }
            }
        }
        // A sign and its number form one word: `plus1`.
        if result.count > 1, result[0] == "plus" || result[0] == "minus", let digit = result[1].utf8.first,
            isDigit(digit)
        {
            result.replaceSubrange(0...1, with: [result[0] + result[1]])
        }
        if result.isEmpty {
            if text == "*" { return ["star"] }
            let scalars = text.unicodeScalars.prefix(8).map { String($0.value, radix: 16) }
            return ["u" + scalars.joined(separator: "_")]
        }
        return result
    }

    private enum Kind {
        case lower, upper, digit, other, separator
    }

    private static func split(_ text: String) -> [String] {
        let scalars = text.unicodeScalars
        var result: [String] = []
        var start = scalars.startIndex
        var index = start
        var previous = Kind.separator
        func end(next: String.Index) {
            if start < index { result.append(String(scalars[start..<index])) }
            start = next
        }
        while index < scalars.endIndex {
            let kind = kind(scalars[index])
            let next = scalars.index(after: index)
            if kind == .separator { end(next: next) }
            if kind == .upper {
                let isFollowed = next < scalars.endIndex && Self.kind(scalars[next]) == .lower
                if previous == .lower || previous == .upper && isFollowed { end(next: index) }
            }
            previous = kind
            index = next
        }
        end(next: index)
        return result
    }

    private static func kind(_ scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        case 0x61...0x7A: return .lower
        case 0x41...0x5A: return .upper
        case 0x30...0x39: return .digit
        case 0..<0x80: return .separator
        default: break
        }
        let properties = scalar.properties
        guard properties.isXIDContinue, isIdentifierHead(scalar.value) else { return .separator }
        switch properties.generalCategory {
        case .lowercaseLetter: return .lower
        case .uppercaseLetter, .titlecaseLetter: return .upper
        case .otherLetter, .modifierLetter: return .other
        default: return .separator
        }
    }

    /// The letters that can start a Swift identifier and are likely in documents.
    private static func isIdentifierHead(_ value: UInt32) -> Bool {
        switch value {
        case 0xAA, 0xB5, 0xBA, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x167F, 0x1681...0x180D,
            0x180F...0x1DBF, 0x1E00...0x1FFF, 0x2C00...0x2DFF, 0x2E80...0x2FFF, 0x3004...0x3007,
            0x3031...0xD7FF, 0xF900...0xFD3D, 0xFD40...0xFDCF, 0xFDF0...0xFE1F, 0xFE47...0xFFDC:
            true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    static func capitalised(_ word: String) -> String {
        guard let first = word.first, first.isLowercase else { return word }
        let upper = first.uppercased()
        // A letter whose uppercase form has several characters is not changed, so that the result is a valid
        // identifier.
        return upper.unicodeScalars.count == 1 ? upper + word.dropFirst() : word
    }

    private static func leadingDigit(_ name: String) -> String {
        guard let first = name.utf8.first, isDigit(first) else { return name }
        return "_" + name
    }

    /// Names that are not valid even in backticks.
    private static let unescapable: Set<String> = ["self", "Self", "init", "Type", "Protocol"]

    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "var", "where", "while",
    ]

    /// Names that generated code uses without a qualifier, and names that Swift reserves.
    static let reservedTypes: Set<String> = [
        "Any", "APIClient", "APIError", "APIKeyCredential", "APIResponse", "ArrayPage",
        "JSONTuple", "JSONTupleCodable", "JSONTupleDecodable", "JSONTupleEncodable", "JSONTupleWriter",
        "NamePatterns", "NetworkError", "AsText", "Base64Data", "Base64URLData", "BasicCredential",
        "BearerCredential",
        "Bool", "Boxed",
        "CalendarDate", "CalendarDuration", "CallOptions", "CaseIterable", "CodableValue",
        "ConfiguredCredentials",
        "CursorPage", "CustomCredential", "Date", "Decimal", "DiscriminatedWebhook", "DocumentedFailure",
        "DocumentedResponse", "DocumentedSuccess", "DocumentedWebhook", "Double", "Duration", "Equatable",
        "EventStream", "Field", "Float", "GatewayConfiguration", "GatewayEngine",
        "GatewayEnvironment", "Hashable", "HTTPBody",
        "HTTPFields",
        "Int", "Int64", "JSONCodable", "JSONDecodable", "JSONElement", "JSONEncodable",
        "JSONError", "JSONNumber", "JSONObject", "JSONObjectCodable", "JSONObjectDecodable",
        "JSONObjectEncodable", "JSONType", "JSONValue", "JSONWriter", "MiddlewareChain", "MultipartBody",
        "MultipartFile",
        "MultipartFileOr",
        "MultipartWriter", "NoDocumentedFailure", "OAuthCredential", "OpenEnum", "OperationDescriptor",
        "OperationReply", "PagedItems", "PageTurn", "Protocol", "ReceivedWebhook",
        "RequestBuilder", "RequestEngine", "RequestRules", "ResponseBody", "ResponseHeaders",
        "SecurityOptions", "Self", "Sendable", "ServerChoice", "String", "Type", "UInt64", "UInt8",
        "UndocumentedHeaders", "UnknownProperties", "URI", "URL", "UUID", "Void",
    ]
}
