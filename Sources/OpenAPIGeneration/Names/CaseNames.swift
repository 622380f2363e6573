/// The case names of generated enums, not escaped.
struct CaseNames {
    private var names = [JSONPointer: [String]]()
    private let declarations: [JSONPointer: Declaration]
    private let types: TypeNames

    /// The names by their places, for `openapi.lock`.
    var settled: [ExactText: String] {
        var result = [ExactText: String]()
        for (pointer, own) in names {
            for (name, place) in zip(own, places(of: pointer)) {
                if let place, result[place] == nil { result[place] = name }
            }
        }
        return result
    }

    init(_ declarations: [JSONPointer: Declaration], types: TypeNames, lock: NameLock = NameLock()) {
        self.declarations = declarations
        self.types = types
        for (pointer, declaration) in declarations {
            switch declaration.kind {
            case .enumeration(let enumeration): name(enumeration, at: pointer, lock)
            case .union(let union): name(union, at: pointer, lock)
            case .object, .tuple, .opaque: break
            }
        }
    }

    /// The cases of a type, in the order of its values or branches.
    subscript(pointer: JSONPointer) -> [String] { names[pointer] ?? [] }

    private mutating func name(
        _ enumeration: EnumerationDeclaration, at pointer: JSONPointer, _ lock: NameLock
    ) {
        let words = enumeration.values.map { value in
            guard enumeration.isInteger else { return SwiftName.enumCase(value) }
            return value.hasPrefix("-") ? "valueMinus\(value.dropFirst())" : "value\(value)"
        }
        let wanted = zip(words, enumeration.labels).map { word, label in
            label.name.map { SwiftName.enumCase($0) } ?? word
        }
        claim(wanted, at: pointer, lock)
    }

    private mutating func name(_ union: UnionDeclaration, at pointer: JSONPointer, _ lock: NameLock) {
        let wanted = union.branches.enumerated().map { offset, branch in
            union.discriminator?.keys[offset].flatMap { keyName($0) }
                ?? branch.label.map { SwiftName.enumCase($0) } ?? kindName(branch.schema, offset)
        }
        claim(wanted, at: pointer, lock)
    }

    /// The lock keys of the cases of a type, in order.
    private func places(of pointer: JSONPointer) -> [String?] {
        switch declarations[pointer]?.kind {
        case .enumeration(let enumeration):
            return enumeration.values.map { NameLock.Place.enumCase($0, of: pointer) }
        case .union(let union):
            var seen = Set<JSONPointer>()
            // An inline branch can only be identified by its number.
            return union.branches.map { branch in
                guard let target = branch.schema.shape.documented.target,
                    !target.text.hasPrefix(pointer.text + "/")
                else { return nil }
                // Of several aliases of a schema, all but the first have their own name.
                let isAlias = !seen.insert(target).inserted
                return NameLock.Place.unionCase(
                    isAlias ? target.appending(branch.label ?? "") : target, of: pointer)
            }
        case .object?, .tuple?, .opaque?, nil: return []
        }
    }

    /// Names that every enum already has, and the cases of `Optional`.
    private static let reserved = SwiftName.optionalCases.union(["unrecognized", "knownCases"])

    private mutating func claim(_ wanted: [String], at pointer: JSONPointer, _ lock: NameLock) {
        let places = lock.hasMembers ? places(of: pointer) : wanted.map { _ in nil }
        // A name without letters that have two cases is the same for a case and for a type that the enum declares.
        let inner = Set((types.nested[pointer] ?? []).compactMap { types[$0]?.name })
        var scope = NameScope(
            reserving: Self.reserved.union(inner), places: places.compactMap(\.self), in: lock)
        names[pointer] = zip(wanted, places).map { word, place in
            let word = inner.contains(word) ? word + "_" : word
            return place.map { scope.claim(word, for: $0) } ?? scope.claim(word)
        }
    }

    /// The name for a key of a `mapping`. Nil if the key is not a word.
    private func keyName(_ key: String) -> String? {
        guard let first = key.unicodeScalars.first, first.properties.isAlphabetic else { return nil }
        return SwiftName.enumCase(key)
    }

    private func kindName(_ schema: Schema, _ offset: Int) -> String {
        if let own = schema.shape.own { return SwiftName.enumCase(own.baseName) }
        if let word = schema.shape.word { return word }
        switch declarations.kind(of: schema) {
        case .enumeration(let enumeration): return enumeration.isInteger ? "integer" : "string"
        case .object where schema.shape.target?.tokens.suffix(2).first == "type": return "object"
        default: return "variant\(offset + 1)"
        }
    }
}
