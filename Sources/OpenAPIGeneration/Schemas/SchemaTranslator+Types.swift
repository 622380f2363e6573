extension SchemaTranslator {
    /// The shape by `type`, or as implied by other keywords.
    func shape(ofTypes flat: ResolvedSchema) -> Schema.Shape {
        var types = flat.types
        if types.isEmpty { types = impliedTypes(flat) }
        // JSON does not distinguish integers from other numbers.
        let isExact = types.isSuperset(of: [.integer, .number])
        if isExact { types.remove(.integer) }
        switch types {
        case []: return .any
        case .boolean: return .boolean
        case .string: return .string(stringFormat(flat.format))
        case .integer: return .integer(integerFormat(flat.format))
        case .number: return .number(numberFormat(flat.format, isExact: isExact))
        case .array: return array(flat)
        case .object: return object(flat)
        default: return mixed(types, flat)
        }
    }

    func impliedTypes(_ flat: ResolvedSchema) -> RawSchema.Types {
        if !flat.properties.isEmpty || !flat.additional.isUnsaid || !flat.required.isEmpty { return .object }
        if flat.items != nil || !flat.prefix.isEmpty { return .array }
        switch flat.format {
        case "int32", "int64", "uint64": return .integer
        case "float", "double": return .number
        // A decimal is a number or a string.
        case "decimal", nil: return []
        case let format?: return StringFormat(named: format) == nil ? [] : .string
        }
    }

    private func stringFormat(_ format: String?) -> StringFormat {
        format.flatMap { StringFormat(named: $0) } ?? .plain
    }

    private func integerFormat(_ format: String?) -> IntegerFormat {
        format == "uint64" ? .unsigned64 : .signed
    }

    /// - Parameter isExact: Whether integers are among the numbers.
    func numberFormat(_ format: String?, isExact: Bool) -> NumberFormat {
        switch format {
        case "float": .float
        case "double": .double
        case "decimal": .decimal
        case "int64", "uint64": .exact
        default: isExact ? .exact : .double
        }
    }

    private func array(_ flat: ResolvedSchema) -> Schema.Shape {
        guard flat.prefix.isEmpty else { return declareTuple(flat) }
        guard let items = flat.items else { return .array(.any(at: flat.position)) }
        return .array(schema(of: refined(items: items, of: flat)))
    }

    private func object(_ flat: ResolvedSchema) -> Schema.Shape {
        guard flat.properties.isEmpty, flat.patterns.isEmpty else { return declareObject(flat) }
        switch flat.additional {
        case .schema(let part): return .map(schema(of: refined(values: part, of: flat)))
        case .unsaid, .allowed: return .map(.any(at: flat.position))
        case .forbidden: return declareObject(flat)
        }
    }

    /// `type: [string, integer]` is a union of the types.
    private func mixed(_ types: RawSchema.Types, _ flat: ResolvedSchema) -> Schema.Shape {
        let names: [(RawSchema.Types, String)] = [
            (.boolean, "boolean"), (.integer, "integer"), (.number, "number"), (.string, "string"),
            (.array, "array"), (.object, "object"),
        ]
        let parts = names.filter { types.contains($0.0) }.map { type, name in
            let place = flat.pointer.appending("type").appending(name)
            // Integers are among the numbers.
            let own = type == .number ? flat.types.intersection([.integer, .number]) : type
            return RawSchema.Part(flat.base(own, at: place))
        }
        return declareUnion(flat, .init(parts: parts, discriminator: nil, position: flat.position))
    }
}
