/// A declaration in generated code.
struct SwiftDeclaration: SwiftNode {
    enum Signature {
        /// Only the head, for example an enum case or a comment.
        case none
        /// A type or an extension, with its conformances.
        case type([String])
        case variable(SwiftType, Expression? = nil)
        /// A function, an initializer, or an enum case with a payload.
        case function([Parameter], isAsync: Bool = false, throws: SwiftType? = nil, returns: SwiftType? = nil)
        /// After an equals sign: an alias's type, the raw value of an enum case.
        case value(Expression)
    }

    struct Parameter {
        /// Label and name; nil in the payload of an enum case without labels.
        let name: String?
        let type: SwiftType
        let fallback: Expression?

        init(_ name: String?, _ type: SwiftType, _ fallback: Expression? = nil) {
            self.name = name
            self.type = type
            self.fallback = fallback
        }
    }

    enum Body {
        case none
        /// On the line of the declaration.
        case inline(Statement)
        case block([Statement])
        /// The members of a type, with an empty line between groups.
        case members([[SwiftDeclaration]])
        /// The head is a comment.
        case mark
    }

    /// The lines of the doc comment.
    let documentation: [String]
    let isDeprecated: Bool
    /// Whether it has the access level of the client.
    let isVisible: Bool
    /// Modifiers, keyword and name.
    let head: String
    let signature: Signature
    let body: Body
    /// The name of a property in the document.
    var key: String?

    @inline(never)
    init(
        _ documentation: [String] = [], isVisible: Bool = true, isDeprecated: Bool = false, _ head: String,
        _ signature: Signature, _ body: Body = .none
    ) {
        self.documentation = documentation
        self.isVisible = isVisible
        self.isDeprecated = isDeprecated
        self.head = head
        self.signature = signature
        self.body = body
    }

    init(_ head: String, _ signature: Signature, _ body: Body = .none) {
        self.init([], head, signature, body)
    }

    static func `extension`(
        _ name: String, _ conformances: [String], _ members: [[SwiftDeclaration]]
    ) -> SwiftDeclaration {
        SwiftDeclaration(
            isVisible: false, "nonisolated extension " + name, .type(conformances), .members(members))
    }

    static func enumCase(
        _ documentation: [String], isIndirect: Bool = false, _ name: String, _ payload: [Parameter] = []
    ) -> SwiftDeclaration {
        SwiftDeclaration(
            documentation, isVisible: false, (isIndirect ? "indirect case " : "case ") + name,
            payload.isEmpty ? .none : .function(payload))
    }

    /// A comment that divides a file.
    static func mark(_ text: String) -> SwiftDeclaration {
        SwiftDeclaration(isVisible: false, "// MARK: " + text, .none, .mark)
    }

    /// Writes the declaration without its body.
    func write(to line: inout Line) {
        line.add(head)
        switch signature {
        case .none, .type([]): break
        case .type(let conformances): line.add(Line.Mark.colon, conformances.joined(separator: ", "))
        case .variable(let type, let value):
            line.add(Line.Mark.colon, type)
            if let value { line.add(Line.Mark.equals, value) }
        case .function(let parameters, let isAsync, let error, let result):
            line.add(.round, parameters)
            if isAsync { line.add(" async") }
            if let error {
                line.add(" throws")
                line.add(.round, [error])
            }
            if let result { line.add(" -> ", result) }
        case .value(let value): line.add(Line.Mark.equals, value)
        }
    }
}

extension SwiftDeclaration.Parameter: SwiftNode {
    func write(to line: inout Line) {
        if let name { line.add(name, Line.Mark.colon) }
        line.add(type)
        if let fallback { line.add(Line.Mark.equals, fallback) }
    }
}
