/// Finds the types that Swift sources declare, with a reading of the tokens that matter: access, kind, nesting.
struct DeclarationScanner {
    enum Kind: String { case `struct`, `class`, `enum`, `actor`, `protocol` }

    struct Declaration: Hashable {
        /// With the types around it: `Outer.Inner`.
        var name: String
        var kind: Kind
        /// `public` or `open`, by itself or by the extension that it is in. An SPI is public, too.
        var isPublic: Bool
        /// Whether an instance cannot be handed to what prints.
        var isNoncopyable = false
        var hasCases = false
        /// Whether a case of the enum carries a value.
        var hasPayload = false

        /// Whether there is nothing that an instance could print but the names of its cases.
        var holdsNothing: Bool { kind == .protocol || kind == .enum && !hasPayload || isNoncopyable }
    }

    private struct Scope {
        /// The index of its declaration; `nil` for an extension.
        var declaration: Int?
        var name: String
        var depth: Int
        /// What members without an access of their own have.
        var memberIsPublic: Bool
    }

    private var tokens: [Substring]
    private var position = 0
    private var depth = 0
    private var scopes: [Scope] = []
    private var found: [Declaration] = []

    /// A source with other numbers of opening and closing braces, so that nesting was read wrongly.
    struct Unbalanced: Error {}

    /// All types of a source, private ones too, in their order.
    static func declarations(in source: String) throws(Unbalanced) -> [Declaration] {
        var scanner = DeclarationScanner(tokens: SwiftTokens.tokens(of: source))
        scanner.scan()
        guard scanner.depth == 0, scanner.scopes.isEmpty else { throw Unbalanced() }
        return scanner.found
    }

    private init(tokens: [Substring]) { self.tokens = tokens }

    private static let accesses: Set<Substring> = [
        "public", "open", "package", "internal", "private", "fileprivate",
    ]
    /// Words that name no type.
    private static let reserved: Set<Substring> = [
        "func", "var", "let", "init", "subscript", "else", "in", "is", "as", "where", "async", "throws",
    ]
    private static let modifiers: Set<Substring> = [
        "final", "indirect", "nonisolated", "dynamic", "distributed", "static", "lazy", "override",
    ]

    private mutating func scan() {
        var access: Substring?
        while position < tokens.count {
            let token = tokens[position]
            position += 1
            switch token {
            case "{": depth += 1
            case "}":
                depth -= 1
                if let scope = scopes.last, depth <= scope.depth { scopes.removeLast() }
            case "extension": open(nil, access)
            case "struct", "enum", "actor", "protocol", "class":
                if isDeclaration { open(Kind(rawValue: String(token)), access) }
            case "case": readCase()
            default: break
            }
            if Self.accesses.contains(token) {
                // `private(set)` is about a setter.
                if peek != "(" { access = token }
            } else if !Self.modifiers.contains(token) && !token.hasPrefix("@") {
                access = nil
            }
            // An attribute's arguments stand between the access and the keyword, or before both.
            if token.hasPrefix("@") || Self.modifiers.contains(token), peek == "(" { skipParentheses() }
        }
    }

    private var peek: Substring? { position < tokens.count ? tokens[position] : nil }

    /// Whether the word just read declares a type: `class func` does not, `.protocol` names none, and `actor` may be the
    /// name of a value.
    private var isDeclaration: Bool {
        guard let name = peek, name.first?.isIdentifierHead == true, !Self.reserved.contains(name),
            let next = peek(1), ["{", ":", "<", "where"].contains(next)
        else { return false }
        return position < 2 || ![".", "=", "let", "var", "("].contains(tokens[position - 2])
    }

    private mutating func skipParentheses() {
        var open = 0
        while position < tokens.count {
            if tokens[position] == "(" { open += 1 }
            if tokens[position] == ")" { open -= 1 }
            position += 1
            if open == 0 { return }
        }
    }

    /// Reads a declaration from its name to its opening brace.
    private mutating func open(_ kind: Kind?, _ access: Substring?) {
        var name = ""
        while let token = peek, token == "." || token.first?.isIdentifierHead == true, token != "where" {
            // Names of extensions have dots; two words in a row are no name.
            if token != ".", !name.isEmpty, !name.hasSuffix(".") { break }
            name += token
            position += 1
        }
        var isNoncopyable = false
        while let token = peek, token != "{" {
            if token == "~", position + 1 < tokens.count, tokens[position + 1] == "Copyable" {
                isNoncopyable = true
            }
            position += 1
        }
        name = name.filter { $0 != "`" }
        let full = ((scopes.last.map { [$0.name] } ?? []) + [name]).joined(separator: ".")
        let isOpen = access == "public" || access == "open"
        var scope = Scope(declaration: nil, name: full, depth: depth, memberIsPublic: isOpen)
        if let kind {
            let isPublic = isOpen || access == nil && scopes.last?.memberIsPublic == true
            found.append(
                Declaration(name: full, kind: kind, isPublic: isPublic, isNoncopyable: isNoncopyable))
            // Members of a type do not inherit its access.
            scope.declaration = found.count - 1
            scope.memberIsPublic = false
        }
        scopes.append(scope)
    }

    /// Reads `case` where it stands directly in an enum; a `switch` is deeper.
    private mutating func readCase() {
        guard let scope = scopes.last, let index = scope.declaration, found[index].kind == .enum,
            depth == scope.depth + 1
        else { return }
        found[index].hasCases = true
        while let token = peek, token.first?.isIdentifierHead == true {
            position += 1
            if peek == "(" {
                found[index].hasPayload = true
                skipParentheses()
            }
            // A raw value is one token: a literal, or a sign and a literal.
            if peek == "=" {
                position += peek(1) == "-" ? 3 : 2
            }
            guard peek == "," else { return }
            position += 1
        }
    }

    private func peek(_ offset: Int) -> Substring? {
        position + offset < tokens.count ? tokens[position + offset] : nil
    }
}

extension Character {
    var isIdentifierHead: Bool { isLetter || self == "_" || self == "`" }
}
