/// The case names of generated enums, not escaped.
struct CaseNames {
    private var names: [JSONPointer: [String]] = [:]
    private let declarations: [JSONPointer: Declaration]

    /// The names by their places, for `openapi.lock`.
    var settled: [String: String] {
        var result: [String: String] = [:]
        for (pointer, own) in names {
            for (name, place) in zip(own, places(of: pointer)) {
                if let place, result[place] == nil { result[place] = name }
            }
        }
        return result
    }

    init(_ declarations: [JSONPointer: Declaration], lock: NameLock = NameLock()) {
        self.declarations = declarations
        for (pointer, declaration) in declarations {
            switch declaration.kind {
            case .enumeration(let enumeration): name(enumeration, at: pointer, lock)
            case .union(let union): name(union, at: pointer, lock)
            case .object, .opaque: break
            }
        }
    }

    /// The cases of a type, in the order of its values or branches.
    subscript(pointer: JSONPointer) -> [String] { names[pointer] ?? [] }

    private mutating func name(
        _ enumeration: EnumerationDeclaration, at pointer: JSONPointer, _ lock: NameLock
    ) {
        let words =
            switch enumeration.values {
            case .strings(let strings): strings.map { SwiftName.enumCase($0) }
            case .integers(let integers):
                integers.map { $0 < 0 ? "valueMinus\($0.magnitude)" : "value\($0)" }
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
            let values =
                switch enumeration.values {
                case .strings(let strings): strings
                case .integers(let integers): integers.map { String($0) }
                }
            return values.map { NameLock.Place.enumCase($0, of: pointer) }
        case .union(let union):
            // An inline branch can only be identified by its number.
            return union.branches.map { branch in
                guard case .declared(let target) = branch.schema.shape,
                    !target.text.hasPrefix(pointer.text + "/")
                else { return nil }
                return NameLock.Place.unionCase(target, of: pointer)
            }
        case .object?, .opaque?, nil: return []
        }
    }

    /// Names that every enum already has, and the cases of `Optional`.
    private static let reserved = SwiftName.optionalCases.union(["unrecognized", "knownCases"])

    private mutating func claim(_ wanted: [String], at pointer: JSONPointer, _ lock: NameLock) {
        let places = lock.hasMembers ? places(of: pointer) : wanted.map { _ in nil }
        var scope = NameScope(reserving: Self.reserved, places: places.compactMap(\.self), in: lock)
        names[pointer] = zip(wanted, places).map { word, place in
            place.map { scope.claim(word, for: $0) } ?? scope.claim(word)
        }
    }

    /// The name for a key of a `mapping`. Nil if the key is not a word.
    private func keyName(_ key: String) -> String? {
        guard let first = key.unicodeScalars.first, first.properties.isAlphabetic else { return nil }
        return SwiftName.enumCase(key)
    }

    private func kindName(_ schema: Schema, _ offset: Int) -> String {
        switch schema.shape {
        case .any: return "value"
        case .boolean: return "bool"
        case .string: return "string"
        case .integer: return "integer"
        case .number: return "number"
        case .array: return "array"
        case .map: return "object"
        case .declared(let pointer):
            switch declarations[pointer]?.kind {
            case .enumeration(let enumeration):
                if case .strings = enumeration.values { return "string" }
                return "integer"
            case .object where pointer.tokens.suffix(2).first == "type": return "object"
            default: return "variant\(offset + 1)"
            }
        }
    }
}
