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

    /// The media types that are decoded: as a whole, each that is read differently, and as a stream.
    func response(_ content: Node?, at pointer: JSONPointer) -> (whole: [MediaContent], stream: MediaContent?)
    {
        reportItems(content)
        let members = plain(content)
        let streams = members.filter { MediaType($0.key).kind.isStream }
        var stream = chosen(streams, at: pointer)
        if let found = stream { stream?.alternatives = alternatives(to: found, in: streams) }
        return (whole(members.filter { !MediaType($0.key).kind.isStream }, at: pointer), stream)
    }

    private func whole(_ members: [Node.Object.Member], at pointer: JSONPointer) -> [MediaContent] {
        guard let first = MediaType.preferred(members).map({ MediaType($0.key).kind.decoding }) else {
            return []
        }
        var rest = members
        // Anything can be read as bytes.
        if first != .bytes {
            rest.removeAll {
                MediaType($0.key).isUndecodable && (first != .text || MediaType($0.key).kind != .text)
            }
        }
        var result: [MediaContent] = []
        while var next = received(chosen(rest, at: pointer)) {
            next.alternatives = alternatives(to: next, in: rest, isAny: first == .bytes)
            let mediaType = next.mediaType
            let own = rest.first { $0.key == mediaType }?.value
            rest.removeAll { member in
                let type = MediaType(member.key)
                return first == .bytes || member.key == mediaType || !type.isRange
                    || (type.essence == "text/json" && MediaType(mediaType).isJSON)
                    || own.map { isSame(member, as: $0, next.kind) } ?? false
            }
            result.append(next)
        }
        if first != .bytes { checkOmitted(members, besides: result) }
        return result
    }

    /// The other media types of a response that are read in the same way, by preference: text as text, anything as
    /// bytes, JSON and streams only with an equal schema.
    private func alternatives(
        to chosen: MediaContent, in members: [Node.Object.Member], isAny: Bool = false
    ) -> [String] {
        let own = members.first { $0.key == chosen.mediaType }?.value
        return members.filter { member in
            let type = MediaType(member.key)
            guard type.text != chosen.mediaType, type.isRange else { return false }
            switch chosen.kind.decoding {
            case .text: return type.kind.decoding == .text
            case .bytes: return isAny || type.kind.decoding == .bytes
            case .value, .stream:
                return type.kind == chosen.kind && own.map { isEqual(member.value, $0) } ?? false
            }
        }.map(\.key).sorted { MediaType($0) < MediaType($1) }
    }

    private func isEqual(_ one: Node, _ other: Node) -> Bool {
        ["schema", "itemSchema"].allSatisfy { Node.areEqual(one[$0]?.value, other[$0]?.value) }
    }

    /// Whether a member of `content` is read as a preferred one, or describes the same values as its JSON.
    private func isSame(_ member: Node.Object.Member, as own: Node, _ kind: MediaTypeKind) -> Bool {
        let other = MediaType(member.key).kind
        guard kind.codec != nil else { return other.decoding == kind.decoding }
        guard isEqual(member.value, own) else { return false }
        if other == kind { return true }
        // A string is written differently in JSON and as text.
        return member.value["schema"].map { schemas.isTyped($0) } ?? false
    }

    /// Reports schemas of media types that are not requested, because they cannot be decoded.
    private func checkOmitted(_ members: [Node.Object.Member], besides contents: [MediaContent]) {
        let known = contents.compactMap(\.part?.node?.value)
        for member in members where MediaType(member.key).isUndecodable {
            guard let schema = member.value["schema"], schemas.isTyped(schema),
                !contents.contains(where: { $0.mediaTypes.contains(member.key) }),
                !known.contains(where: { Node.areEqual($0, schema.value) })
            else { continue }
            sink.warn(
                .unsupportedMediaType,
                "\"\(member.key)\" is not supported; it is not requested, and its schema is ignored",
                at: schema.position)
        }
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
        let part = best.value["schema"].map {
            RawSchema.Part(node: $0, pointer: place.appending("schema"))
        }
        let encoding = PropertyEncodingReader(sink: sink, schemas: schemas).read(
            best.value["encoding"], kind, part, at: place.appending("encoding"))
        return MediaContent(
            mediaType: best.key, kind: kind, schema: schema ?? .any(at: best.keyPosition),
            encoding: encoding, part: part)
    }

    private func schema(of node: Node, _ kind: MediaTypeKind, at place: JSONPointer) -> Schema? {
        func read(_ part: Node, _ path: String...) -> Schema {
            let pointer = path.reduce(place) { $0.appending($1) }
            return schemas.schema(of: .init(node: part, pointer: pointer))
        }
        guard kind.isStream else {
            if let item = node["itemSchema"] {
                sink.warn(
                    .ignoredKeyword, "\"itemSchema\" is ignored: it describes streams only", at: item.position
                )
            }
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
        let event = RawSchema.Part(node: item, pointer: place.appending("itemSchema"))
        if let problem = problem(of: event, depth: 0) {
            sink.warn(
                .unsupportedSchema,
                "\"itemSchema\" cannot describe server-sent events: \(problem); the data that it does not describe is text",
                at: item.position)
        }
        let data = schemas.resolved(event)?.properties.first { $0.name == "data" }
        for part in data?.parts ?? [] {
            guard let node = part.node,
                let target = schemas.resolver.chain(node, at: part.pointer)
                    .first(where: { $0.node["contentSchema"] != nil }),
                let content = target.node["contentSchema"]
            else { continue }
            return schemas.schema(
                of: .init(node: content, pointer: target.pointer.appending("contentSchema")))
        }
        return Schema(shape: .string(.plain), position: item.position)
    }

    /// Why events do not have the form of a schema: an event has the texts `data`, `event` and `id`, and `retry`. All
    /// events of a stream have data of one type. Nil: they can have it.
    private func problem(of event: RawSchema.Part, depth: Int) -> String? {
        guard depth < 4, let flat = schemas.resolved(event) else { return nil }
        if flat.types != .string, !flat.types.isEmpty, !flat.types.contains(.object) {
            return "an event is an object"
        }
        for property in flat.properties {
            switch property.name {
            case "data":
                for node in property.parts.compactMap(\.node) {
                    if schemas.isTyped(node) { return "the data of an event is text" }
                    let chain = schemas.resolver.chain(node, at: .root)
                    if depth > 0, chain.contains(where: { $0.node["contentSchema"] != nil }) {
                        return "all events of a stream have data of one type"
                    }
                }
            case "event", "id", "retry": break
            default: return "an event has no \"\(property.name)\""
            }
        }
        return flat.unions.flatMap(\.parts).lazy.compactMap { self.problem(of: $0, depth: depth + 1) }.first
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
}
