/// An expression or a pattern in generated code.
indirect enum Expression: Hashable, ExpressibleByStringLiteral, Sendable, SwiftNode {
    /// A name, a chain of members, a number or a keyword. A line cannot be broken inside it.
    case name(String)
    /// A text of the document.
    case literal(String)
    case type(SwiftType)
    case member(Expression, String, isOptional: Bool = false)
    case call(Expression, [Expression])
    /// An argument with its label.
    case labelled(String, Expression)
    case array([Expression])
    /// After words such as `try`.
    case prefixed(String, Expression)
    /// Before an operator: `value?`, `value ?? []`.
    case suffixed(Expression, String)
    /// `let name = value`, as a condition.
    case binding(String, Expression)

    init(stringLiteral name: String) { self = .name(name) }

    /// A text to switch over, compared by code points where `String` finds other texts equal to a literal: those of other
    /// characters than ASCII, and the three of ASCII that have an equivalent.
    func exact(_ literals: [String], isOptional: Bool = false) -> Expression {
        let hasEquivalents = literals.contains { text in
            text.utf8.contains {
                $0 >= 0x80 || $0 == UInt8(ascii: "K") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "`")
            }
        }
        return hasEquivalents ? .member(self, "exact", isOptional: isOptional) : self
    }

    static func metatype(_ type: SwiftType) -> Expression { .member(.type(type), "self") }

    func write(to line: inout Line) {
        switch self {
        case .name(let name): line.add(name)
        case .literal(let text): line.literal(text)
        case .type(let type): line.add(type)
        case .member(let owner, let name, let isOptional): line.add(owner, isOptional ? "?." : ".", name)
        case .call(let callee, let arguments):
            line.add(callee)
            line.add(.round, arguments)
        case .labelled(let label, let value): line.add(label, Line.Mark.colon, value)
        case .array(let items): line.add(.square, items)
        case .prefixed(let words, let value): line.add(words, " ", value)
        case .suffixed(let value, let mark): line.add(value, mark)
        case .binding(let name, let value): line.add("let ", name, Line.Mark.equals, value)
        }
    }
}
