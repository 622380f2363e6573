/// Chooses the media type of a body.
struct MediaTypes {
    let sink: DiagnosticSink
    let schemas: SchemaTranslator

    /// The media type that is sent: JSON if there is any, else the first by preference and name.
    func request(_ content: Node?, at pointer: JSONPointer) -> MediaContent? {
        let members = plain(content)
        guard let chosen = chosen(members, at: pointer) else { return nil }
        report(members, without: [chosen.mediaType], use: chosen.mediaType)
        var kind = chosen.kind
        if kind == .bytes, Self.isStructured(chosen.mediaType) { warn(chosen) }
        if kind.isStream { kind = .bytes }
        let type = chosen.mediaType == "*/*" ? "application/octet-stream" : chosen.mediaType
        return MediaContent(mediaType: type, kind: kind, schema: chosen.schema, encoding: chosen.encoding)
    }

    private func warn(_ content: MediaContent) {
        sink.report(
            .warning(
                .unsupportedMediaType,
                "\"\(content.mediaType)\" is not encoded; the call takes the encoded bytes",
                at: content.schema.position))
    }

    /// The media types that are read: at once, and one value after the other.
    func response(_ content: Node?, at pointer: JSONPointer) -> (whole: MediaContent?, stream: MediaContent?)
    {
        let members = plain(content)
        let whole = chosen(members.filter { !Self.kind(of: $0.key).kind.isStream }, at: pointer)
        let stream = chosen(members.filter { Self.kind(of: $0.key).kind.isStream }, at: pointer)
        let used = [whole?.mediaType, stream?.mediaType].compactMap { $0 }
        report(members, without: used, use: used.first ?? "")
        return (whole, stream)
    }

    private func plain(_ content: Node?) -> [Node.Object.Member] {
        (content?.members ?? []).filter { member in
            if Self.isPlain(member.key) { return true }
            sink.report(
                .warning(
                    .structure, "\"\(member.key)\" is no media type; it is left out", at: member.keyPosition))
            return false
        }
    }

    private func report(_ members: [Node.Object.Member], without used: [String], use: String) {
        for member in members where !used.contains(member.key) {
            sink.report(
                .warning(
                    .unsupportedMediaType, "\"\(member.key)\" is left out; \"\(use)\" is used",
                    at: member.keyPosition))
        }
    }

    private func chosen(_ members: [Node.Object.Member], at pointer: JSONPointer) -> MediaContent? {
        var best: (rank: Int, member: Node.Object.Member, kind: MediaContent.Kind)?
        for member in members {
            let (kind, rank) = Self.kind(of: member.key)
            if let known = best, (known.rank, known.member.key) <= (rank, member.key) { continue }
            best = (rank, member, kind)
        }
        guard let best else { return nil }
        let place = pointer.appending(best.member.key)
        let schema = schema(of: best.member.value, best.kind, at: place)
        return MediaContent(
            mediaType: best.member.key, kind: best.kind,
            schema: schema ?? .any(at: best.member.keyPosition),
            encoding: encoding(best.member.value["encoding"], best.kind))
    }

    private func schema(of node: Node, _ kind: MediaContent.Kind, at place: JSONPointer) -> Schema? {
        func read(_ part: Node, _ path: String...) -> Schema {
            let pointer = path.reduce(place) { $0.appending($1) }
            return schemas.schema(of: .init(node: part, pointer: pointer))
        }
        switch kind {
        case .text, .bytes: return nil
        case .json, .form, .multipart: return node["schema"].map { read($0, "schema") }
        case .events, .lines, .sequence:
            guard let item = node["itemSchema"] else { return node["schema"].map { read($0, "schema") } }
            guard kind == .events else { return read(item, "itemSchema") }
            // It describes the event as a whole; its data says what it holds.
            guard let data = item["properties"]?["data"], let content = data["contentSchema"] else {
                return Schema(shape: .string(.plain), position: item.position)
            }
            return read(content, "itemSchema", "properties", "data", "contentSchema")
        }
    }

    private func encoding(_ node: Node?, _ kind: MediaContent.Kind) -> [PropertyEncoding] {
        guard kind == .form || kind == .multipart else { return [] }
        return (node?.members ?? []).map { member in
            let style = member.value["style"]?.string.flatMap { Parameter.Style(rawValue: $0) }
            let explode = member.value["explode"]?.bool
            return PropertyEncoding(
                name: member.key, style: style ?? (explode == nil ? nil : .form),
                explode: explode ?? (style == .form || style == .deepObject),
                contentType: member.value["contentType"]?.string)
        }.sorted { $0.name < $1.name }
    }

    /// Printable ASCII with a slash: what may stand in a header.
    private static func isPlain(_ type: String) -> Bool {
        type.utf8.contains(UInt8(ascii: "/")) && type.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    private static func kind(of type: String) -> (kind: MediaContent.Kind, rank: Int) {
        let bare =
            type.prefix { $0 != ";" }.lowercased().split(separator: " ").joined()
        switch bare {
        case "application/json": return (.json, 0)
        case "application/x-www-form-urlencoded": return (.form, 2)
        case "multipart/form-data": return (.multipart, 3)
        case "application/octet-stream": return (.bytes, 4)
        case "text/event-stream": return (.events, 7)
        case "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
            "application/ndjson", "application/x-ndjson", "application/x-json-stream", "text/jsonl":
            return (.lines, 8)
        case "application/json-seq": return (.sequence, 9)
        default: break
        }
        if bare.hasSuffix("+json") { return (.json, 1) }
        if bare.hasSuffix("+jsonl") { return (.lines, 8) }
        if bare.hasSuffix("+json-seq") { return (.sequence, 9) }
        return bare.hasPrefix("text/") ? (.text, 5) : (.bytes, 6)
    }

    private static func isStructured(_ type: String) -> Bool {
        type.hasPrefix("multipart/") || type.hasSuffix("xml") || type.hasSuffix("yaml")
    }
}
