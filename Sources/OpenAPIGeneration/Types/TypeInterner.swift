/// Finds equal inline types: later ones become aliases of the first. Large documents repeat the same object in dozens
/// of operations, and each type adds code.
///
/// Two types are equal if their names, properties, documentation, nested names and direction are equal. Components
/// always keep separate types.
struct TypeInterner {
    /// The target of each alias.
    private(set) var canonical = [JSONPointer: JSONPointer]()

    private let declarations: [JSONPointer: Declaration]
    private let names: TypeNames
    private let directions: TypeDirections
    private var classes = [[ExactText]: Int]()
    private var known = [JSONPointer: Int]()

    init(_ declarations: [JSONPointer: Declaration], names: TypeNames, directions: TypeDirections) {
        self.declarations = declarations
        self.names = names
        self.directions = directions
        // Owners before nested types, which need no alias if their owner is an alias.
        var first = [Int: JSONPointer]()
        var waiting = names.top.sorted()
        var next = 0
        while next < waiting.count {
            let pointer = waiting[next]
            next += 1
            if declarations[pointer] != nil, !Self.isComponent(pointer), directions[pointer] != .multipart {
                let number = number(of: pointer)
                if let earlier = first[number] {
                    canonical[pointer] = earlier
                    continue
                }
                first[number] = pointer
            }
            waiting += names.nested[pointer] ?? []
        }
    }

    /// The type of a schema, with aliases resolved.
    func canonical(_ pointer: JSONPointer) -> JSONPointer { canonical[pointer] ?? pointer }

    /// The type whose code a type has: itself or, in an alias, the one of the same name in the alias's target.
    func rendered(_ pointer: JSONPointer) -> JSONPointer {
        if let target = canonical[pointer] { return target }
        guard let entry = names[pointer], let owner = entry.owner else { return pointer }
        let place = rendered(owner)
        guard place != owner else { return pointer }
        return names.nested[place]?.first { names[$0]?.name == entry.name } ?? pointer
    }

    private static func isComponent(_ pointer: JSONPointer) -> Bool {
        pointer.tokens.count == 3 && pointer.tokens[0] == "components"
    }

    /// A key that is equal for equal types.
    private mutating func number(of pointer: JSONPointer) -> Int {
        if let number = known[pointer] { return number }
        let content = content(of: pointer).map { ExactText($0) }
        let number = classes[content] ?? classes.count
        classes[content] = number
        known[pointer] = number
        return number
    }

    private mutating func content(of pointer: JSONPointer) -> [String] {
        guard let declaration = declarations[pointer] else { return [pointer.text] }
        // What is required depends on the use.
        let direction = "\(directions[pointer]) \(directions.used(pointer))"
        var parts = [direction, declaration.annotations.isDeprecated ? "old" : ""]
        switch declaration.kind {
        case .object(let object), .tuple(let object):
            if case .tuple = declaration.kind { parts.append("tuple") }
            parts.append("object")
            for property in object.properties {
                parts.append(property.name)
                parts.append(property.isRequired ? "!" : "?")
                parts.append(property.fixedValue.map { "=" + $0 } ?? "")
                add(property.schema, in: pointer, to: &parts)
            }
            for pattern in object.patterns {
                parts.append("\(pattern.texts)")
                add(pattern.schema, in: pointer, to: &parts)
            }
            if let additional = object.additional {
                parts.append("+")
                add(additional, in: pointer, to: &parts)
            }
            if object.unknown == .kept { parts.append("+") }
        case .enumeration(let enumeration):
            parts.append("enum \(enumeration.isInteger) \(enumeration.values)")
            for label in enumeration.labels {
                parts.append(label.name ?? "")
                parts.append(label.text ?? "")
            }
        case .union(let union):
            parts.append("union")
            for branch in union.branches {
                parts.append(branch.label ?? "")
                add(branch.schema, in: pointer, to: &parts)
            }
            if let discriminator = union.discriminator {
                parts.append("\(discriminator.property) \(discriminator.values)")
                parts.append("\(discriminator.fallback ?? -1)")
                parts += discriminator.keys.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            }
        case .opaque: parts.append("opaque")
        }
        return parts
    }

    private mutating func add(_ schema: Schema, in owner: JSONPointer, to parts: inout [String]) {
        let annotations = schema.annotations
        var flags = schema.isNullable ? "n" : ""
        if annotations.isDeprecated { flags += "d" }
        if annotations.isReadOnly { flags += "r" }
        if annotations.isWriteOnly { flags += "w" }
        parts.append(flags)
        for text in [annotations.text, annotations.minimum, annotations.maximum] { parts.append(text ?? "") }
        for node in [annotations.defaultValue, annotations.constant] {
            parts.append(node.map { LiteralKey.description(of: $0) } ?? "")
        }
        let shape = schema.shape
        if let own = shape.own { parts.append("own type " + own.mark) }
        if let target = shape.target {
            guard let entry = names[target], entry.owner == owner else {
                parts.append("to " + target.text)
                return
            }
            parts.append("own \(entry.name) \(number(of: target))")
        }
        if let word = shape.word { parts.append(word + " " + (shape.format ?? "")) }
        if let inner = shape.inner { add(inner, in: owner, to: &parts) }
    }
}

extension LiteralKey {
    /// A scalar's type and text; an array or object by its place.
    static func description(of node: Node) -> String {
        switch node.value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text): text
        case .string(let text): "\"" + text
        case .array, .object: "{"
        }
    }
}
