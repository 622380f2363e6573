/// Maps the properties of a multipart body to its parts (OpenAPI 3.2, Encoding Object).
struct MultipartParts {
    let model: CodeModel
    let encoding: [PropertyEncoding]

    private enum Files {
        case one, many
        /// A file or another value.
        case perhaps
    }

    /// The type of a property with one or several files; nil for other properties.
    func type(of schema: Schema) -> SwiftType? {
        switch files(schema) {
        case .one: "MultipartFile"
        case .many: .array("MultipartFile")
        case .perhaps: .generic("MultipartFileOr", [model.types.plain(schema)])
        case nil: nil
        }
    }

    /// The call that writes a property.
    func call(_ plan: MemberPlan, _ value: Expression) -> MethodCall {
        let type = encoding.first { $0.name.isSame(as: plan.key) }?.contentType
        return call(.literal(plan.key), plan.schema, as: type, value)
    }

    /// Writes each of the additional properties as a property of their schema.
    func additional(_ schema: Schema, _ properties: Expression, but known: Expression) -> Statement {
        .forEach(
            .call("_p.additional", [properties, known]),
            .expression(call("_name", schema, as: nil, "_value").on("_p")))
    }

    /// - Parameter type: The documented media types of the part.
    private func call(
        _ name: Expression, _ schema: Schema, as type: String?, _ value: Expression
    ) -> MethodCall {
        let first = type?.split(separator: ",").first.map { String($0).filter { $0 != " " } }
        func call(_ method: String, as type: String? = nil) -> MethodCall {
            MethodCall(
                method: method, arguments: [name, value] + (type.map { [.literal($0)] } ?? []))
        }
        let own = first.flatMap { $0.contains("*") ? nil : $0 }
        if let files = files(schema) {
            switch files {
            case .one: return call("file", as: own)
            case .many: return call("files", as: own)
            case .perhaps: return call("fileOr", as: own)
            }
        }
        let isJSON = type.map { MediaType(first: $0).isJSON } ?? false
        let encoder = ParameterEncoder(types: model.types, declarations: model.documented)
        let isText = encoder.isPrimitive(schema)
        if isText || encoder.isPrimitiveArray(schema) {
            if isJSON { return call("json") }
            // A part without a media type is plain text.
            return call(isText ? "text" : "texts", as: own?.lowercased() == "text/plain" ? nil : own)
        }
        // An array of the user's own type is one part for each element, too.
        if schema.shape.own != nil, schema.shape.documented.items != nil, !isJSON { return call("value") }
        if let item = schema.shape.items, !isJSON {
            return call(mayBePrimitive(item) ? "values" : "jsons")
        }
        return call(!isJSON && mayBePrimitive(schema) ? "value" : "json")
    }

    /// Whether some values of a schema are primitives, and others are not.
    private func mayBePrimitive(_ schema: Schema) -> Bool {
        if case .any = schema.shape.documented { return true }
        switch model.documented.kind(of: schema.documented) {
        case .union, .opaque: return true
        case .object, .tuple, .enumeration, nil: return false
        }
    }

    private func files(_ schema: Schema) -> Files? {
        if case .string(.binary) = schema.shape { return .one }
        if let item = schema.shape.items { return files(item) == .one ? .many : nil }
        guard case .union(let union)? = model.declarations.kind(of: schema) else { return nil }
        let branches = union.branches.map { files($0.schema) }
        // A union of one file and several files is treated as several files.
        if !branches.contains(nil) { return branches.contains(.perhaps) ? .perhaps : .many }
        return branches.contains(.one) || branches.contains(.perhaps) ? .perhaps : nil
    }
}
