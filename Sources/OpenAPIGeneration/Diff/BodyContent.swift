/// The media type of a body that a generated client uses.
struct BodyContent {
    let mediaType: String
    let schema: RawSchema.Part?

    /// The preferred content, as the generator chooses it.
    static func preferred(_ body: ReferenceResolver.Target) -> BodyContent? {
        guard let best = MediaType.preferred(body.node["content"]?.members ?? []) else { return nil }
        return BodyContent(mediaType: best.key, schema: schema(of: best.key, in: body))
    }

    /// The schema of a header field: its own, or that of its content.
    static func headerSchema(_ header: ReferenceResolver.Target) -> RawSchema.Part? {
        if let own = header.node["schema"] {
            return .init(node: own, pointer: header.pointer.appending("schema"))
        }
        return preferred(header)?.schema
    }

    /// The schema of a media type of a body.
    static func schema(of type: String, in body: ReferenceResolver.Target) -> RawSchema.Part? {
        let place = body.pointer.appending("content").appending(type).appending("schema")
        return body.node["content"]?[type]?["schema"].map { RawSchema.Part(node: $0, pointer: place) }
    }
}
