/// The media type of a body that a generated client uses.
struct BodyContent {
    let mediaType: String
    let schema: RawSchema.Part?

    /// The preferred content, as the generator chooses it.
    static func preferred(_ body: ReferenceResolver.Target) -> BodyContent? {
        guard let best = MediaType.preferred(body.node["content"]?.members ?? []) else { return nil }
        let place = body.pointer.appending("content").appending(best.key).appending("schema")
        return BodyContent(
            mediaType: best.key,
            schema: best.value["schema"].map { RawSchema.Part(node: $0, pointer: place) })
    }
}
