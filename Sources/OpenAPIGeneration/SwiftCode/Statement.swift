/// A statement in generated code.
indirect enum Statement: SwiftNode {
    case expression(Expression)
    /// `let name: Type = value`.
    case variable(String, SwiftType, Expression)
    case assign(Expression, Expression)
    case `return`(Expression)
    /// A block of statements in braces.
    case block(Statement)
    /// `get` or `set`.
    case accessor(String, Statement)
    /// The first branch whose condition holds.
    case `if`([(condition: Expression, then: Statement)], otherwise: Statement)
    /// A loop over names and values.
    case forEach(Expression, Statement)
    case `switch`(Expression, [Case])

    struct Case: SwiftNode {
        /// No pattern: all other values.
        let patterns: [Expression]
        let body: Statement
        /// Whether the body begins on the next line.
        let isBelow: Bool

        init(_ patterns: [Expression], _ body: Statement, isBelow: Bool = false) {
            self.patterns = patterns
            self.body = body
            if case .switch = body { self.isBelow = true } else { self.isBelow = isBelow }
        }

        func write(to line: inout Line) {
            if patterns.isEmpty { line.add("default:") } else { line.add(.label, patterns) }
            if !isBelow { line.add(" ", body) }
        }
    }

    /// Writes the statement, without the cases of a switch.
    func write(to line: inout Line) {
        switch self {
        case .expression(let value): line.add(value)
        case .variable(let head, let type, let value):
            line.add(head, Line.Mark.colon, type, Line.Mark.equals, value)
        case .assign(let target, let value): line.add(target, Line.Mark.equals, value)
        case .return(let value): line.add("return ", value)
        case .block(let body): line.add(.block, [body])
        case .accessor(let name, let body): line.add(name, " ", Statement.block(body))
        case .if(let branches, let otherwise):
            for (condition, then) in branches {
                line.add("if ", condition, " ", Statement.block(then), " else ")
            }
            line.add(branches.isEmpty ? otherwise : .block(otherwise))
        case .forEach(let values, let body):
            line.add("for (_name, _value) in ", values, " ", Statement.block(body))
        case .switch(let value, _): line.add("switch ", value, " {")
        }
    }
}
