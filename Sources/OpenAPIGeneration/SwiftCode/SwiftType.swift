/// A Swift type in generated code.
indirect enum SwiftType: Hashable, ExpressibleByStringLiteral, Sendable, SwiftNode {
    /// A type of Swift or of the runtime, or a type that is declared next to its use.
    case named(String)
    /// A type of the client, by its name in the namespace.
    case declared(String)
    /// A type of the user, with its module.
    case own(String, module: String?)
    case optional(SwiftType)
    case array(SwiftType)
    /// The keys are strings.
    case dictionary(SwiftType)
    case generic(String, [SwiftType])

    init(stringLiteral name: String) { self = .named(name) }

    /// Any JSON value, also null.
    static let json: SwiftType = "JSONValue"
    static let bytes: SwiftType = .array("UInt8")

    func write(to line: inout Line) {
        switch self {
        case .named(let name): line.add(name)
        case .declared(let name): line.add(line.namespace, name)
        case .own(let name, let module):
            line.add(name)
            if let module { line.imported(module) }
        case .optional(let type): line.add(type, "?")
        case .array(let item): line.add(.square, [item])
        case .dictionary(let value): line.add(.square, [Expression.labelled("String", .type(value))])
        case .generic(let name, let arguments):
            line.add(name)
            line.add(.angle, arguments)
        }
    }
}
