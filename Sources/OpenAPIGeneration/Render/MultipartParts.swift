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
        guard let own = encoding.first(where: { $0.name.isSame(as: plan.key) }) else {
            return call(.literal(plan.key), plan.schema, as: nil, value)
        }
        guard let style = own.style else {
            return call(.literal(plan.key), plan.schema, as: own.contentType, value)
        }
        return styled(plan, style.name(explode: own.explode), value)
    }

    /// The call that writes a property in a style. A file has none, and the one of a primitive makes no difference.
    private func styled(_ plan: MemberPlan, _ style: String, _ value: Expression) -> MethodCall {
        let encoder = ParameterEncoder(types: model.types, declarations: model.documented)
        let isPlain =
            encoder.isPrimitive(plan.schema)
            || style == "formExploded" && encoder.isPrimitiveArray(plan.schema)
        if isPlain || files(plan.schema) != nil {
            return call(.literal(plan.key), plan.schema, as: nil, value)
        }
        return MethodCall(method: "styled", arguments: [.literal(plan.key), value, .name("." + style)])
    }

    /// The calls that set the header fields of parts: those that have one value, then those that the caller sets.
    func fields(of members: [MemberPlan], _ fields: [PartField]) -> [MethodCall] {
        let parts = encoding.filter { own in members.contains { $0.key.isSame(as: own.name) } }
        let constants = parts.flatMap { part in
            part.headers.compactMap { header in
                header.constant.map {
                    MethodCall(
                        method: "field",
                        arguments: [.literal(part.name), .literal(header.name), .literal($0)])
                }
            }
        }
        return constants
            + fields.map { field in
                // With a required part, the value is required in Swift.
                let isOptional = members.contains {
                    $0.key.isSame(as: field.part) && $0.optionality != .required
                }
                var call = call(field)
                if isOptional, field.header.isRequired, field.header.fallback == nil {
                    call.arguments.append(.labelled("isRequired", "true"))
                }
                return call
            }
    }

    private func call(_ field: PartField) -> MethodCall {
        let header = field.header
        let own: [Expression] = [
            .literal(field.part), .literal(header.name), .name("self." + SwiftName.escaped(field.name)),
        ]
        if header.isJSON { return MethodCall(method: "fieldJSON", arguments: own) }
        let encoder = ParameterEncoder(types: model.types, declarations: model.documented)
        guard encoder.isPrimitive(header.schema) else {
            return MethodCall(method: "fieldValue", arguments: own + [.name("." + header.style)])
        }
        return MethodCall(method: "field", arguments: own + (header.fallback.map { [.literal($0)] } ?? []))
    }

    /// Writes each of the properties of a member as one of their schema.
    ///
    /// - Parameter properties: The call on the writer that gives the properties.
    func each(_ properties: Expression, _ schema: Schema) -> Statement {
        .forEach(properties, .expression(call("_name", schema, as: nil, "_value").on("_p")))
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
