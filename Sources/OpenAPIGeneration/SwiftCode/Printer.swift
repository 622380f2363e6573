/// Prints declarations as Swift source and breaks long lines.
struct Printer {
    /// Maximum number of columns in a line.
    static let limit = 120

    /// The limit for text that is broken after an indentation. Text in deeply nested types has at least 40 columns.
    static func limit(after indentation: Int) -> Int { max(limit, indentation + 40) }

    private(set) var text = ""
    /// The line that is being written. Why: its storage is used again for the next one.
    private var current: Line
    private var indent = ""
    /// `public `, `package ` or nothing.
    private let access: String

    init(access: String, namespace: String) {
        self.access = access
        current = Line(namespace: namespace + ".")
    }

    /// The modules of the user's types in the declarations.
    var modules: Set<String> { current.modules }

    mutating func importRuntime() { put("@_spi(Generated) \(access)import GatewayClient") }

    mutating func importModule(_ name: String) { put("\(access)import \(name)") }

    mutating func blank() { text += "\n" }

    mutating func print(_ declaration: SwiftDeclaration) {
        for line in declaration.documentation { comment(line.isEmpty ? "///" : "/// " + line) }
        if declaration.isDeprecated { put("@available(*, deprecated)") }
        switch declaration.body {
        case .mark: comment(declaration.head)
        case .none: head(declaration) { _ in }
        case .inline(let statement):
            head(declaration) { $0.add(" ", Statement.block(statement)) }
        case .block(let statements):
            body(of: declaration, isEmpty: statements.isEmpty) {
                for statement in statements { $0.print(statement) }
            }
        case .members(let groups):
            let groups = groups.filter { !$0.isEmpty }
            body(of: declaration, isEmpty: groups.isEmpty) {
                for (offset, group) in groups.enumerated() {
                    if offset > 0 { $0.blank() }
                    for member in group { $0.print(member) }
                }
            }
        }
    }

    @inline(never)
    private mutating func head(_ declaration: SwiftDeclaration, _ end: (inout Line) -> Void) {
        let access = declaration.isVisible ? access : ""
        line { line in
            line.add(access, declaration)
            end(&line)
        }
    }

    @inline(never)
    private mutating func body(
        of declaration: SwiftDeclaration, isEmpty: Bool, _ content: (inout Printer) -> Void
    ) {
        head(declaration) { $0.add(isEmpty ? " {}" : " {") }
        if isEmpty { return }
        indented(content)
        put("}")
    }

    @inline(never)
    private mutating func print(_ statement: Statement) {
        line { statement.write(to: &$0) }
        guard case .switch(_, let cases) = statement else { return }
        for item in cases {
            line { item.write(to: &$0) }
            if item.isBelow { indented { $0.print(item.body) } }
        }
        put("}")
    }

    @inline(never)
    private mutating func indented(_ content: (inout Printer) -> Void) {
        indent += "    "
        content(&self)
        indent.removeLast(4)
    }

    /// Prints a comment with its slashes.
    mutating func comment(_ line: String) {
        guard indent.utf8.count + line.utf8.count > Self.limit else { return put(line) }
        for line in CommentLine.broken(line, indent: indent) { text += line + "\n" }
    }

    private mutating func line(_ write: (inout Line) -> Void) {
        current.clear()
        write(&current)
        guard indent.utf8.count + current.text.utf8.count > Self.limit else { return put(current.text) }
        var marked = Line(namespace: current.namespace, isMarked: true)
        write(&marked)
        for line in LineBreaker.lines(marked, indent: indent) { text += line + "\n" }
    }

    private mutating func put(_ line: String) {
        text += indent
        text += line
        text += "\n"
    }
}
