/// A Swift type of the user for the values of a schema.
struct OwnType: Hashable, Sendable {
    /// How its values are encoded and decoded.
    enum Coding: String, CaseIterable, Sendable {
        /// By its conformance to `JSONCodable`.
        case json
        /// By its conformance to `Codable`.
        case codable
    }

    /// With its module, if it is not in the module of the generated code: `Payments.Money`.
    let name: String
    var coding = Coding.json

    /// A member of schemas in the configured document: the mark of the type of its values.
    static let keyword = "x-gateway-own-type"
    /// The value of the member. It only has a meaning for a type that the configuration names.
    var mark: String { coding == .json ? name : name + " " + coding.rawValue }

    @inline(never)
    private var parts: [Substring] { name.split(separator: ".") }
    /// The name that Swift looks up first.
    var root: String { parts.first.map { String($0) } ?? name }
    /// Nil for a type in the module of the generated code.
    var module: String? { parts.count > 1 ? root : nil }
    /// Without its module and enclosing types.
    var baseName: String { parts.last.map { String($0) } ?? name }

    /// The type of a property.
    var swift: SwiftType {
        let own = SwiftType.own(name, module: module)
        return coding == .json ? own : .generic("CodableValue", [own])
    }

    /// Whether a text is the name of a type, with or without its module.
    static func isName(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
            SwiftName.isSettled(String($0), isMethod: true) && SwiftName.escaped(String($0)) == $0
        }
    }

    static let keys = ["type", "coding"]

    /// The type that a valid value of a configuration names.
    @inline(never)
    init?(_ node: Node) {
        guard let name = node.string ?? node["type"]?.string, Self.isName(name) else { return nil }
        self.name = name
        coding = (node["coding"]?.string).flatMap { Coding(rawValue: $0) } ?? .json
    }
}

/// What a configuration names as the type of values.
enum TypeChoice: Sendable {
    case builtin(BuiltinType)
    case own(OwnType)

    /// The type that a valid value of a configuration names.
    init?(_ node: Node) {
        if let builtin = BuiltinType(node) {
            self = .builtin(builtin)
        } else if let own = OwnType(node) {
            self = .own(own)
        } else {
            return nil
        }
    }

    var own: OwnType? {
        if case .own(let type) = self { return type }
        return nil
    }
}

extension Node {
    /// The schema with the mark of the type of its values. A schema that is `true` becomes an object.
    func marked(as type: OwnType, at position: SourcePosition) -> Node {
        setting(OwnType.keyword, to: Node(value: .string(type.mark), position: position))
    }
}
