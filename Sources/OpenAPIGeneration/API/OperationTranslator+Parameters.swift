extension OperationTranslator {
    /// The parameters of an operation or a path item. Invalid parameters are reported and skipped.
    func parameters(_ node: Node?, at pointer: JSONPointer) -> [Parameter] {
        guard let node else { return [] }
        guard let items = node.array else {
            sink.fail(.structure, "\"parameters\" must be an array, found \(node.kind)", at: node.position)
            return []
        }
        var result: [Parameter] = []
        for (index, item) in items.enumerated() {
            do throws(Diagnostic) {
                let target = try resolver.final(item, at: pointer.appending(index))
                let parameter = try parameter(target.node, at: target.pointer)
                if result.contains(where: {
                    $0.name.isSame(as: parameter.name) && $0.location == parameter.location
                }) {
                    throw .error(
                        .structure,
                        "duplicate \(parameter.location.rawValue) parameter \"\(parameter.name)\"",
                        at: item.position)
                }
                result.append(parameter)
            } catch {
                sink.report(error)
            }
        }
        return result
    }

    private func parameter(_ node: Node, at pointer: JSONPointer) throws(Diagnostic) -> Parameter {
        guard let name = node["name"]?.text else {
            throw .error(.structure, "a parameter requires \"name\"", at: node.position)
        }
        if node["in"]?.string == "querystring" { return try querystring(node, name, at: pointer) }
        guard let location = node["in"]?.string.flatMap({ Parameter.Location(rawValue: $0) }) else {
            throw .error(
                .structure, "\"in\" of a parameter must be path, query, header or cookie",
                at: node["in"]?.position ?? node.position)
        }
        var mediaType: String?
        var written: RawSchema.Part?
        let schema: Schema
        if let part = node["schema"] {
            let own = RawSchema.Part(node: part, pointer: pointer.appending("schema"))
            written = own
            schema = schemas.schema(of: own)
        } else if let content = node["content"]?.members.first {
            if let second = node["content"]?.members.dropFirst().first {
                throw .error(
                    .structure, "\"content\" of a parameter must have one media type", at: second.keyPosition)
            }
            mediaType = content.key
            let place = pointer.appending("content").appending(content.key).appending("schema")
            written = content.value["schema"].map { RawSchema.Part(node: $0, pointer: place) }
            schema = written.map { schemas.schema(of: $0) } ?? .any(at: content.value.position)
            if !MediaType(content.key).isJSON { checkText(schema, in: content, "parameter \"\(name)\"") }
        } else {
            throw .error(
                .structure, "the parameter \"\(name)\" requires \"schema\" or \"content\"", at: node.position)
        }
        let style = style(node["style"], in: location)
        return Parameter(
            name: name, location: location, isRequired: location == .path || node["required"]?.bool ?? false,
            isDeprecated: node["deprecated"]?.bool ?? false,
            text: node["description"]?.string ?? schema.annotations.text, schema: schema, style: style,
            explode: node["explode"]?.bool ?? style.isExploded,
            allowsReserved: allowsReserved(node, in: location, style), mediaType: mediaType, place: pointer,
            part: written, position: node.position)
    }

    /// Reports a value that is neither JSON nor a primitive. Its Swift type is `String`.
    func checkText(_ schema: Schema, in content: Node.Object.Member, _ subject: String) {
        guard !schema.shape.isPrimitive, let written = content.value["schema"], schemas.isTyped(written)
        else { return }
        sink.warn(
            .unsupportedParameter,
            "\"\(content.key)\" of the \(subject) is not supported; falling back to String",
            at: content.keyPosition)
    }

    /// The whole query as one value (3.2): a form, whose properties are encoded as those of a body.
    private func querystring(
        _ node: Node, _ name: String, at pointer: JSONPointer
    ) throws(Diagnostic) -> Parameter {
        guard let content = node["content"]?.members.first, node["content"]?.members.count == 1,
            MediaType(content.key).kind == .form,
            let part = content.value["schema"]
        else {
            throw .warning(
                .unsupportedParameter,
                "the querystring parameter \"\(name)\" is skipped; only a form with a \"schema\" is supported",
                at: node.position)
        }
        let place = pointer.appending("content").appending(content.key)
        let written = RawSchema.Part(node: part, pointer: place.appending("schema"))
        let schema = schemas.schema(of: written)
        let encoding = PropertyEncodingReader(sink: sink, schemas: schemas).read(
            content.value["encoding"], .form, written, at: place.appending("encoding"))
        return Parameter(
            name: name, location: .query, isRequired: node["required"]?.bool ?? false,
            isDeprecated: node["deprecated"]?.bool ?? false,
            text: node["description"]?.string ?? schema.annotations.text, schema: schema, style: .form,
            explode: true, allowsReserved: false, mediaType: nil, place: pointer, part: written,
            form: MediaContent(
                mediaType: content.key, kind: .form, schema: schema, encoding: encoding, part: written),
            position: node.position)
    }

    /// Whether reserved characters of a value are not percent-encoded. Reports the keyword where it has no effect.
    private func allowsReserved(
        _ parameter: Node, in location: Parameter.Location, _ style: ParameterStyle
    ) -> Bool {
        guard let keyword = parameter["allowReserved"], keyword.bool == true else { return false }
        let reason: String
        switch location {
        case _ where parameter["schema"] == nil: reason = "has no effect next to \"content\""
        case .query: return true
        case .header: reason = "has no effect in a header"
        case .cookie where style == .cookie: reason = "has no effect in the style \"cookie\""
        case .path, .cookie:
            if schemas.reader.version == .v3_2 { return true }
            reason = "of a \(location.rawValue) parameter requires OpenAPI 3.2"
        }
        sink.warn(.ignoredKeyword, "\"allowReserved\" \(reason); it is ignored", at: keyword.position)
        return false
    }

    private func style(_ node: Node?, in location: Parameter.Location) -> ParameterStyle {
        let usual = location.style
        guard let node else { return usual }
        guard let style = node.string.flatMap({ ParameterStyle(rawValue: $0) }),
            style.locations.contains(location)
        else {
            sink.warn(
                .unsupportedParameter,
                "\"style\" is invalid for a \(location.rawValue) parameter; \"\(usual.rawValue)\" is used",
                at: node.position)
            return usual
        }
        return style
    }
}
