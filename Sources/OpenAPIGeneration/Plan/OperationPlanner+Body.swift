/// The bodies of requests.
extension OperationPlanner {
    /// The argument's type and the builder's call for a body.
    func bodyCall(_ body: RequestBody, isAlternative: Bool) -> (type: SwiftType, call: MethodCall) {
        let media = Expression.literal(body.content.mediaType)
        func call(_ method: String, _ last: Expression?) -> MethodCall {
            MethodCall(method: method, arguments: ["body"] + (last.map { [$0] } ?? []))
        }
        switch body.content.kind.encoding {
        case .value(let codec):
            let schema = body.content.schema
            let plain = types.plain(schema)
            guard types.full(schema) != plain else { return (plain, call(codec.functions.body, media)) }
            guard !body.isRequired else {
                return (.optional(plain), call(codec.functions.nullableBody, media))
            }
            sink.warn(
                .unsupportedSchema, "the body is optional and nullable; nil omits it, null cannot be sent",
                at: schema.position)
            return (plain, call(codec.functions.body, media))
        case .form:
            checkEncoding(body.content)
            return (types.plain(body.content.schema), call("formBody", formStyles(body.content)))
        case .multipart:
            if let pointer = body.content.schema.shape.target, isMultipart(pointer) {
                checkEncoding(body.content, partsHaveTypes: true)
                checkShared(body.content, pointer)
                checkOwnFiles(pointer)
                return (types.plain(body.content.schema), call("multipartBody", nil))
            }
            let fields = FormFields(declarations: declarations)
            let own = body.content.schema.shape.own
            if isAlternative || own != nil || fields.isTypedMap(body.content.schema),
                fields.fit(body.content.schema)
            {
                checkEncoding(body.content)
                checkHeaders(body.content)
                return (types.plain(body.content.schema), call("multipartFields", partStyles(body.content)))
            }
            sink.warn(
                .unsupportedMediaType,
                own.map { "\"\($0.name)\" cannot be sent as a form with files; generating a raw body" }
                    ?? "multipart schema has no properties; generating a raw body",
                at: body.content.schema.position)
            return ("HTTPBody", call("rawBody", media))
        case .text: return ("String", call("textBody", media))
        case .bytes: return ("HTTPBody", call("rawBody", media))
        }
    }

    /// The builder's call for a form that is the whole query.
    func formQuery(_ content: MediaContent) -> ParameterEncoder.Encoding {
        checkEncoding(content)
        return ParameterEncoder.Encoding(
            method: "queryForm", type: types.plain(content.schema),
            style: formStyles(content).map { [$0] } ?? [])
    }

    /// Reports files that are sent as the text of a type of the user.
    private func checkOwnFiles(_ form: JSONPointer) {
        for member in members.members(of: form) {
            guard let own = member.schema.shape.own, case .string(.binary) = member.schema.shape.documented
            else { continue }
            sink.warn(
                .configuration,
                "\"\(own.name)\" cannot contain a file; \"\(member.key)\" is sent as text",
                at: member.schema.position)
        }
    }

    private func isMultipart(_ pointer: JSONPointer) -> Bool { directions.multipart[pointer] != nil }

    /// The last argument: the properties that are sent as JSON regardless of type or in a style, and the header fields of
    /// parts. Nil if there are none.
    private func partStyles(_ content: MediaContent) -> Expression? {
        let lines = content.encoding.filter(\.name.isPlain).flatMap { property in
            let fields = property.headers.compactMap { header in
                (header.constant ?? header.fallback).map {
                    [property.name, "field", header.name, $0].joined(separator: "\t")
                }
            }
            guard let style = property.style else { return (property.isJSON ? [property.name] : []) + fields }
            return [property.name + "\t" + style.name(explode: property.explode)] + fields
        }
        return lines.isEmpty ? nil : .literal(lines.joined(separator: "\n"))
    }

    /// Reports the header fields of parts that the caller cannot set.
    private func checkHeaders(_ content: MediaContent) {
        for property in content.encoding {
            for header in property.headers
            where !property.name.isPlain || header.constant == nil && header.fallback == nil {
                sink.warn(
                    .unsupportedMediaType,
                    "\"\(header.name)\" of the part \"\(property.name)\" is not supported for a form without files; the part is sent without it",
                    at: header.position)
            }
        }
    }

    /// The last argument: the styles of form properties. Nil if all have the default style.
    private func formStyles(_ content: MediaContent) -> Expression? {
        let object = ValueShapes(declarations: declarations).object(content.schema)
        let lines = content.encoding.filter(\.name.isPlain).compactMap { property -> String? in
            if let style = property.style {
                return property.name + "\t" + style.name(explode: property.explode)
                    + (property.allowsReserved ? "\treserved" : "")
            }
            let schema = object?.properties.first { $0.name.isSame(as: property.name) }?.schema
            return property.isJSON && !(schema.map { isJSONByDefault($0) } ?? false)
                ? property.name + "\tjson" : nil
        }
        return lines.isEmpty ? nil : .literal(lines.joined(separator: "\n"))
    }

    /// Whether a form has the value as JSON even if its encoding is not defined.
    private func isJSONByDefault(_ schema: Schema) -> Bool {
        schema.shape.values != nil || ValueShapes(declarations: declarations).object(schema) != nil
    }

    /// Reports encodings of properties that are not supported.
    ///
    /// - Parameter partsHaveTypes: Whether texts and files are parts with a media type.
    private func checkEncoding(_ content: MediaContent, partsHaveTypes: Bool = false) {
        let object = ValueShapes(declarations: declarations).object(content.schema)
        for encoding in content.encoding {
            let property = object?.properties.first { $0.name.isSame(as: encoding.name) }
            if property == nil, let object, object.additional == nil || partsHaveTypes {
                ignore(encoding, "there is no such property", .ignoredKeyword)
            } else if partsHaveTypes, let schema = property?.schema, isStyledFile(schema, encoding) {
                let reason = "a file is sent as a part without a style"
                ignore(encoding, reason, .unsupportedMediaType)
            } else if !partsHaveTypes, !encoding.name.isPlain, encoding.style != nil || encoding.isJSON {
                ignore(encoding, "its name has control characters", .unsupportedMediaType)
            } else if let type = encoding.contentType, let schema = property?.schema, encoding.style == nil,
                !encoding.isImplied, !encoding.isJSON,
                !isSent(schema, as: MediaType(first: type), partsHaveTypes)
            {
                ignore(encoding, "\"\(type)\" is not supported for its schema", .unsupportedMediaType)
            }
        }
    }

    /// Reports encodings that differ between bodies of one type, which is written in one way.
    private func checkShared(_ content: MediaContent, _ form: JSONPointer) {
        let used = directions.multipart[form] ?? []
        for encoding in content.encoding where !used.contains(where: { $0.isEqual(to: encoding) }) {
            ignore(encoding, "another body with the same schema has a different one", .unsupportedMediaType)
        }
        for encoding in used
        where !content.encoding.contains(where: { $0.name.isSame(as: encoding.name) }) {
            sink.warn(
                .unsupportedMediaType,
                "\"\(encoding.name)\" is sent in the encoding of another body with the same schema",
                at: content.schema.position)
        }
    }

    /// Whether a style other than one part for each value is documented for files.
    private func isStyledFile(_ schema: Schema, _ encoding: PropertyEncoding) -> Bool {
        guard let style = encoding.style, FormFields(declarations: declarations).isFile(schema) else {
            return false
        }
        if style == .form, encoding.explode { return false }
        if case .string(.binary) = schema.shape { return style != .form }
        return true
    }

    /// Whether a value is sent in a media type other than JSON.
    private func isSent(_ schema: Schema, as type: MediaType, _ partsHaveTypes: Bool) -> Bool {
        if partsHaveTypes, FormFields(declarations: declarations).isFile(schema) { return true }
        let encoder = ParameterEncoder(types: types, declarations: declarations)
        guard encoder.isPrimitive(schema) || encoder.isPrimitiveArray(schema) else { return false }
        return ["text/plain", "text/*", "*/*"].contains(type.essence)
            || (partsHaveTypes && !type.essence.contains("*"))
    }

    private func ignore(_ encoding: PropertyEncoding, _ reason: String, _ rule: Diagnostic.Rule) {
        sink.warn(rule, "the encoding of \"\(encoding.name)\" is ignored: \(reason)", at: encoding.position)
    }
}
