/// How one property of a form is encoded.
struct PropertyEncoding {
    let name: String
    /// Nil: depends on the type of the property.
    let style: ParameterStyle?
    let explode: Bool
    /// Whether reserved characters are not percent-encoded.
    var allowsReserved = false
    /// The allowed media types; the first is used. Nil: depends on the type of the property.
    var contentType: String?
    /// Whether the schema of the property decides on the media type.
    var isImplied = false
    /// The header fields of the part, by name.
    var headers: [PartHeader] = []
    let position: SourcePosition

    /// Whether the property is sent as JSON, regardless of its type.
    var isJSON: Bool { contentType.map { MediaType(first: $0).isJSON } ?? false }

    /// Whether a part is sent in the same way.
    func isEqual(to other: PropertyEncoding) -> Bool {
        position == other.position
            || name.isSame(as: other.name) && style == other.style && explode == other.explode
                && contentType == other.contentType
                && headers.map { [$0.name, $0.constant ?? ""] }
                    == other.headers.map {
                        [$0.name, $0.constant ?? ""]
                    }
    }
}
