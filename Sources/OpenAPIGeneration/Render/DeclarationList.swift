/// The declarations of a client as JSON, for tools that write code that uses it.
struct DeclarationList {
    let model: CodeModel

    /// One line for each type, operation and declaration of the client. Deterministic.
    var text: String {
        let sections: [(name: String, lines: [String])] = [
            ("client", lines(ClientRenderer(model: model).declarations())), ("types", types),
            ("operations", operations), ("failures", lines(FailureRenderer(model: model).declarations())),
            ("webhooks", lines(EventRenderer(model: model).declarations())),
        ]
        var result = "{\n  \"namespace\": " + JSONText.quoted(model.namespace)
        for section in sections {
            result += ",\n  " + JSONText.quoted(section.name) + ": ["
            if !section.lines.isEmpty {
                result += "\n    " + section.lines.joined(separator: ",\n    ") + "\n  "
            }
            result += "]"
        }
        return result + "\n}\n"
    }

    private func lines(_ declarations: [SwiftDeclaration]) -> [String] {
        declarations.map { $0.json(in: model.namespace) }
    }

    /// The types of the namespace by name, each with the place of its schema.
    private var types: [String] {
        let schemas = SchemaRenderer(model)
        let types = model.names.top.map { (name: model.names[$0]?.name ?? "", place: $0) }
        return types.sorted { $0.name < $1.name }.compactMap { type -> String? in
            guard let declaration = schemas.declaration(type.place) else { return nil }
            return JSONText.object([
                ("place", JSONText.quoted(type.place.text)),
                ("declaration", declaration.json(in: model.namespace)),
            ])
        }
    }

    /// The operations by their places, each with what is declared for it alone.
    private var operations: [String] {
        model.operations.map { plan in
            let declarations = OperationRenderer(model: model, plan: plan).declarations()
            return JSONText.object([
                ("method", JSONText.quoted(plan.operation.method)),
                ("path", JSONText.quoted(plan.operation.path)),
                ("declarations", SwiftDeclaration.json(declarations, in: model.namespace)),
            ])
        }
    }
}
