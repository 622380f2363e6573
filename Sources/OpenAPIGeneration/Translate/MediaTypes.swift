/// Chooses the media type of a body.
struct MediaTypes {
    let sink: DiagnosticSink
    let schemas: SchemaTranslator

    /// The media type that is sent: JSON if there is any, else the first by preference and name.
    func request(_ content: Node?, at pointer: JSONPointer) -> MediaContent? {
        guard let chosen = chosen(content, at: pointer) else { return nil }
        if chosen.kind == .bytes, Self.isStructured(chosen.mediaType) {
            sink.report(
                .warning(
                    .unsupportedMediaType,
                    "\"\(chosen.mediaType)\" is not encoded; the call takes the encoded bytes",
                    at: chosen.schema.position))
        }
        guard chosen.mediaType == "*/*" else { return chosen }
        return MediaContent(mediaType: "application/octet-stream", kind: .bytes, schema: chosen.schema)
    }

    /// The media type that is read.
    func response(_ content: Node?, at pointer: JSONPointer) -> MediaContent? {
        guard let chosen = chosen(content, at: pointer) else { return nil }
        if chosen.mediaType.hasPrefix("text/event-stream") || chosen.mediaType.hasSuffix("jsonl")
            || chosen.mediaType.hasSuffix("json-seq")
        {
            sink.report(
                .warning(
                    .unsupportedMediaType,
                    "\"\(chosen.mediaType)\" is not read event by event, but at its end",
                    at: chosen.schema.position))
        }
        return chosen
    }

    private func chosen(_ content: Node?, at pointer: JSONPointer) -> MediaContent? {
        var best: (rank: Int, member: Node.Object.Member, kind: MediaContent.Kind)?
        for member in content?.members ?? [] {
            guard Self.isPlain(member.key) else {
                sink.report(
                    .error(.structure, "this is no media type", at: member.keyPosition))
                continue
            }
            let (kind, rank) = Self.kind(of: member.key)
            if let known = best, (known.rank, known.member.key) <= (rank, member.key) { continue }
            best = (rank, member, kind)
        }
        guard let best else { return nil }
        for member in content?.members ?? [] where member.key != best.member.key && Self.isPlain(member.key) {
            sink.report(
                .warning(
                    .unsupportedMediaType,
                    "\"\(member.key)\" is left out; \"\(best.member.key)\" is used", at: member.keyPosition))
        }
        let place = pointer.appending(best.member.key).appending("schema")
        let schema =
            best.kind == .json || best.kind == .form
            ? best.member.value["schema"].map { schemas.schema(of: .init(node: $0, pointer: place)) } : nil
        return MediaContent(
            mediaType: best.member.key, kind: best.kind,
            schema: schema ?? .any(at: best.member.keyPosition),
            encoding: encoding(best.member.value["encoding"], best.kind))
    }

    private func encoding(_ node: Node?, _ kind: MediaContent.Kind) -> [PropertyEncoding] {
        guard kind == .form else { return [] }
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

    private static func kind(of type: String) -> (MediaContent.Kind, rank: Int) {
        let bare =
            type.prefix { $0 != ";" }.lowercased().split(separator: " ").joined()
        if bare == "application/json" { return (.json, 0) }
        if bare.hasSuffix("+json") { return (.json, 1) }
        if bare == "application/x-www-form-urlencoded" { return (.form, 2) }
        if bare.hasPrefix("text/") { return (.text, 4) }
        if bare == "application/octet-stream" { return (.bytes, 3) }
        return (.bytes, 5)
    }

    private static func isStructured(_ type: String) -> Bool {
        type.hasPrefix("multipart/") || type.hasSuffix("xml") || type.hasSuffix("yaml")
    }
}
