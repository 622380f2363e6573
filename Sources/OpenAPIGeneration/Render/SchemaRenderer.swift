/// Writes declared types: structs, open enums, unions and aliases, each with the types nested in it.
struct SchemaRenderer {
    let model: CodeModel
    let types: TypeText

    init(_ model: CodeModel) {
        self.model = model
        types = model.types
    }

    func render(_ pointer: JSONPointer, into writer: inout SourceWriter) {
        guard let entry = model.names[pointer] else { return }
        if let alias = model.aliases[pointer] {
            comment(alias.annotations, entry.subject, &writer)
            writer.visible("typealias \(entry.name) = \(types.plain(alias))")
            return
        }
        guard let declaration = model.declarations[pointer] else { return }
        if let other = model.interner.canonical[pointer], let same = model.names[other] {
            comment(declaration.annotations, entry.subject, &writer)
            writer.visible("typealias \(entry.name) = \(same.qualified)")
            return
        }
        comment(declaration.annotations, entry.subject, &writer)
        switch declaration.kind {
        case .object(let object):
            StructRenderer(model: model, types: types, pointer: pointer, object: object).render(
                entry, into: &writer
            ) { nested(pointer, &$0) }
        case .enumeration(let enumeration):
            EnumRenderer(enumeration: enumeration, cases: model.cases[pointer]).render(
                entry.name, into: &writer)
        case .union(let union):
            guard let plan = model.unions[pointer] else { return }
            UnionRenderer(model: model, types: types, pointer: pointer, union: union, plan: plan).render(
                entry, into: &writer
            ) { nested(pointer, &$0) }
        case .opaque: break
        }
    }

    private func nested(_ pointer: JSONPointer, _ writer: inout SourceWriter) {
        for inner in model.names.nested[pointer] ?? [] {
            writer.blank()
            render(inner, into: &writer)
        }
    }

    private func comment(_ annotations: Annotations, _ subject: String, _ writer: inout SourceWriter) {
        let text = annotations.text ?? ""
        if SwiftText.commentLines(text).isEmpty { writer.comment(subject) } else { writer.comment(text) }
        guard annotations.isDeprecated else { return }
        writer.line("///")
        writer.comment("Deprecated.")
    }
}
