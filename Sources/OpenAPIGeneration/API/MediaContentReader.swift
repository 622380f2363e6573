/// Reads `content`: chooses the media types of a body.
struct MediaContentReader {
    let sink: DiagnosticSink
    let schemas: SchemaTranslator

    /// The media types that can be sent, the default first: JSON if there is one, otherwise by preference and name.
    func request(_ content: Node?, at pointer: JSONPointer) -> [MediaContent] {
        reportItems(content)
        var members = plain(content)
        guard let first = chosen(members, at: pointer) else { return [] }
        let others = members.filter {
            $0.key != first.mediaType
                && !MediaType($0.key).isRedundant(nextTo: MediaType(first.mediaType))
        }
        members = others
        var result = [sent(first)]
        while let next = chosen(members, at: pointer, isAlternative: true) {
            result.append(sent(next))
            members.removeAll { $0.key == next.mediaType }
        }
        return result
    }

    /// Reports `itemSchema` of media types that are not sequences of items.
    private func reportItems(_ content: Node?) {
        for member in content?.members ?? [] where !MediaType(member.key).kind.isStream {
            guard let keyword = member.value.object?.member("itemSchema") else { continue }
            sink.warn(
                .ignoredKeyword, "\"itemSchema\" has no effect in \"\(member.key)\"; it is ignored",
                at: keyword.keyPosition)
        }
    }

    private func sent(_ content: MediaContent) -> MediaContent {
        var result = content
        let kind = content.kind
        if kind == .text { checkOwnType(content, "String") }
        if kind == .bytes { checkOwnType(content, "bytes") }
        if kind == .bytes, MediaType(content.mediaType).isStructured || isTyped(content) {
            warn(content, "generating a raw body")
        }
        if kind == .text, isTyped(content) { warn(content, "falling back to String") }
        if kind.isStream { result.kind = .bytes }
        if content.mediaType == "*/*" { result.mediaType = "application/octet-stream" }
        return result
    }

    /// Reports a response whose schema is not decoded.
    private func received(_ content: MediaContent?) -> MediaContent? {
        guard let content else { return nil }
        switch content.kind.decoding {
        case .text: checkOwnType(content, "String")
        case .bytes: checkOwnType(content, "bytes")
        case .value, .stream: break
        }
        switch content.kind.decoding {
        case .text where isTyped(content): warn(content, "falling back to String")
        case .bytes where isTyped(content): warn(content, "falling back to bytes")
        case .value, .text, .bytes, .stream: break
        }
        return content
    }

    /// Reports that a type of the user is not used for a body in a media type other than JSON and forms.
    private func checkOwnType(_ content: MediaContent, _ type: String) {
        guard let own = content.part.flatMap({ schemas.ownType(of: $0) }) else { return }
        sink.warn(
            .configuration,
            "\"\(own.name)\" is not used: a body of type \"\(content.mediaType)\" is read and sent as \(type)",
            at: content.schema.position)
    }

    /// Whether the schema describes more than text or bytes.
    private func isTyped(_ content: MediaContent) -> Bool {
        content.part?.node.map { schemas.isTyped($0) } ?? false
    }

    private func warn(_ content: MediaContent, _ consequence: String) {
        let isTyped = isTyped(content)
        sink.warn(
            .unsupportedMediaType,
            "\"\(content.mediaType)\" \(isTyped ? "with this schema " : "")is not supported; \(consequence)",
            at: content.schema.position)
    }

    /// The media types that are decoded: as a whole, and as a stream.
    func response(_ content: Node?, at pointer: JSONPointer) -> (whole: MediaContent?, stream: MediaContent?)
    {
        reportItems(content)
        let members = plain(content)
        let whole = chosen(members.filter { !MediaType($0.key).kind.isStream }, at: pointer)
        let stream = chosen(members.filter { MediaType($0.key).kind.isStream }, at: pointer)
        return (received(whole), stream)
    }

    /// The other media types of a response that are read in the same way, by preference: text as text, anything as
    /// bytes, JSON and streams only with an equal schema.
    func alternatives(to chosen: MediaContent?, in content: Node?) -> [String] {
        guard let chosen else { return [] }
        let schema = content?[chosen.mediaType]?["schema"]
        return (content?.members ?? []).filter { member in
            let type = MediaType(member.key)
            guard type.text != chosen.mediaType, type.isValid, type.isRange else { return false }
            let kind = type.kind
            switch chosen.kind.decoding {
            case .text: return kind.decoding == .text
            case .bytes: return !kind.isStream
            case .value, .stream:
                let item = content?[chosen.mediaType]?["itemSchema"]
                return kind == chosen.kind && Node.areEqual(member.value["schema"]?.value, schema?.value)
                    && Node.areEqual(member.value["itemSchema"]?.value, item?.value)
            }
        }.map(\.key).sorted { MediaType($0) < MediaType($1) }
    }

    private func plain(_ content: Node?) -> [Node.Object.Member] {
        (content?.members ?? []).filter { member in
            if MediaType(member.key).isValid { return true }
            sink.warn(
                .structure, "\"\(member.key)\" is not a media type; it is skipped", at: member.keyPosition)
            return false
        }
    }

    private func chosen(
        _ members: [Node.Object.Member], at pointer: JSONPointer, isAlternative: Bool = false
    ) -> MediaContent? {
        guard let best = MediaType.preferred(members) else { return nil }
        let kind = MediaType(best.key).kind
        let place = pointer.appending(best.key)
        let schema =
            isAlternative && kind == .multipart
            ? form(of: best.value, at: place) : schema(of: best.value, kind, at: place)
        return MediaContent(
            mediaType: best.key, kind: kind, schema: schema ?? .any(at: best.keyPosition),
            encoding: encoding(best.value["encoding"], kind),
            part: best.value["schema"].map {
                RawSchema.Part(node: $0, pointer: place.appending("schema"))
            })
    }

    private func schema(of node: Node, _ kind: MediaTypeKind, at place: JSONPointer) -> Schema? {
        func read(_ part: Node, _ path: String...) -> Schema {
            let pointer = path.reduce(place) { $0.appending($1) }
            return schemas.schema(of: .init(node: part, pointer: pointer))
        }
        guard kind.isStream else {
            switch kind.encoding {
            case .text, .bytes: return nil
            case .value, .form, .multipart: return node["schema"].map { read($0, "schema") }
            }
        }
        guard let item = node["itemSchema"] else {
            guard let whole = node["schema"] else { return nil }
            // The schema of a sequential media type may describe all values, as an array (OpenAPI 3.2,
            // "Sequential Media Types").
            let part = RawSchema.Part(node: whole, pointer: place.appending("schema"))
            guard kind != .events, let flat = schemas.resolved(part), flat.types == .array,
                let items = flat.items
            else { return read(whole, "schema") }
            return schemas.schema(of: items)
        }
        guard kind == .events else { return read(item, "itemSchema") }
        // The schema describes the event; `data` describes its content.
        guard let data = item["properties"]?["data"], let content = data["contentSchema"] else {
            return Schema(shape: .string(.plain), position: item.position)
        }
        return read(content, "itemSchema", "properties", "data", "contentSchema")
    }

    /// The schema of a form that is an alternative to other media types. With files, it becomes a separate type: in
    /// JSON, files are strings.
    private func form(of node: Node, at place: JSONPointer) -> Schema? {
        guard let part = node["schema"] else { return nil }
        let own = RawSchema.Part(node: part, pointer: place.appending("schema"))
        guard part["$ref"] != nil, let flat = schemas.resolved(own), flat.unions.isEmpty,
            flat.properties.contains(where: { $0.parts.contains { isFile($0, depth: 0) } })
        else { return schemas.schema(of: own) }
        var object = RawSchema(pointer: own.pointer, position: part.position)
        object.types = .object
        return schemas.schema(
            of: RawSchema.Part(
                allOf: [own, RawSchema.Part(object)], at: own.pointer, position: part.position))
    }

    private func isFile(_ part: RawSchema.Part, depth: Int) -> Bool {
        guard depth < 4, let flat = schemas.resolved(part) else { return false }
        if flat.format == "binary", flat.types.contains(.string) || flat.types.isEmpty { return true }
        let inner = (flat.items.map { [$0] } ?? []) + flat.unions.flatMap(\.parts)
        return inner.contains { isFile($0, depth: depth + 1) }
    }

    private func encoding(_ node: Node?, _ kind: MediaTypeKind) -> [PropertyEncoding] {
        guard kind == .form || kind == .multipart else {
            if let node {
                sink.warn(
                    .ignoredKeyword, "\"encoding\" is ignored: it describes forms only", at: node.position)
            }
            return []
        }
        return (node?.members ?? []).map { member in
            let own = member.value
            var style = own["style"]?.string.flatMap { ParameterStyle(rawValue: $0) }
            let explode = own["explode"]?.bool
            let allowsReserved = own["allowReserved"]?.bool ?? false
            if style == nil, explode != nil || allowsReserved { style = .form }
            if kind == .multipart {
                style = nil
                checkPart(member)
            } else {
                checkField(member, hasStyle: style != nil)
            }
            return PropertyEncoding(
                name: member.key, style: style, explode: explode ?? style?.isExploded ?? false,
                allowsReserved: allowsReserved, contentType: own["contentType"]?.string,
                position: member.keyPosition)
        }.sorted { $0.name < $1.name }
    }

    /// Reports a style that the specification does not allow for a property of a form, and keywords without an effect.
    private func checkField(_ member: Node.Object.Member, hasStyle: Bool) {
        let styles = ParameterStyle.allCases.filter { $0.locations.contains(.query) }.map(\.rawValue)
        if let style = member.value["style"], !styles.contains(style.string ?? "") {
            sink.warn(
                .unsupportedMediaType,
                "\"style\" of the property \"\(member.key)\" must be one of \(styles.joined(separator: ", "))",
                at: style.position)
        }
        for keyword in member.value.members {
            switch keyword.key {
            case "headers": ignore(keyword, of: member, "only parts of a multipart form have headers")
            case "contentType" where hasStyle: ignore(keyword, of: member, "its style takes precedence")
            default: break
            }
        }
    }

    private func ignore(
        _ keyword: Node.Object.Member, of member: Node.Object.Member, _ reason: String
    ) {
        sink.warn(
            .ignoredKeyword, "\"\(keyword.key)\" of the property \"\(member.key)\" is ignored: \(reason)",
            at: keyword.keyPosition)
    }

    /// Reports encoding keywords that are not applied to a part of a multipart form. In OpenAPI 3.0, styles have no
    /// effect there.
    private func checkPart(_ member: Node.Object.Member) {
        var ignored = (member.value["headers"]?.members ?? []).filter {
            $0.key.lowercased() != "content-type"
        }
        let styles = member.value.members.filter { ["style", "explode", "allowReserved"].contains($0.key) }
        if schemas.reader.version == .v3_0 {
            for style in styles {
                ignore(style, of: member, "OpenAPI 3.0 has it only for application/x-www-form-urlencoded")
            }
        } else {
            ignored += styles
        }
        for part in ignored {
            sink.warn(
                .unsupportedMediaType,
                "\"\(part.key)\" of the part \"\(member.key)\" is not supported; the part is sent without it",
                at: part.keyPosition)
        }
    }
}
