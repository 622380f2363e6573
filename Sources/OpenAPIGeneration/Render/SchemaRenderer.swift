/// Declared types: structs, open enums, unions and aliases, each with the types nested in it.
struct SchemaRenderer {
    let model: CodeModel
    let types: SchemaTypes

    init(_ model: CodeModel) {
        self.model = model
        types = model.types
    }

    func declaration(_ pointer: JSONPointer) -> SwiftDeclaration? {
        guard let entry = model.names[pointer] else { return nil }
        let head = "typealias " + entry.name
        if let alias = model.aliases[pointer] {
            // The type of the user has the name itself.
            if alias.shape.own?.swift == .own(entry.name, module: nil) { return nil }
            let comment = comment(alias.annotations, entry)
            return SwiftDeclaration(comment, head, .value(.type(types.plain(alias))))
        }
        guard let declaration = model.declarations[pointer] else { return nil }
        let comment = comment(declaration.annotations, entry)
        if let other = model.interner.canonical[pointer], let same = model.names[other] {
            return SwiftDeclaration(comment, head, .value(.type(.declared(same.path))))
        }
        switch declaration.kind {
        case .object(let object):
            return StructRenderer(model: model, types: types, pointer: pointer, object: object)
                .declaration(entry.name, comment, nested: nested(pointer))
        case .tuple(let tuple):
            return StructRenderer(
                model: model, types: types, pointer: pointer, object: tuple, isTuple: true
            )
            .declaration(entry.name, comment, nested: nested(pointer))
        case .enumeration(let enumeration):
            return EnumRenderer(enumeration: enumeration, cases: model.cases[pointer])
                .declaration(entry.name, comment)
        case .union(let union):
            guard let plan = model.unions[pointer] else { return nil }
            return UnionRenderer(model: model, types: types, pointer: pointer, union: union, plan: plan)
                .declaration(entry.name, comment, nested: nested(pointer))
        case .opaque: return nil
        }
    }

    private func nested(_ pointer: JSONPointer) -> [[SwiftDeclaration]] {
        (model.names.nested[pointer] ?? []).compactMap { declaration($0).map { [$0] } }
    }

    private func comment(_ annotations: Annotations, _ entry: TypeNames.Entry) -> [String] {
        let lines = SwiftText.comment(annotations.text, entry.subject)
        return annotations.isDeprecated ? SwiftText.deprecated(lines) : lines
    }
}
