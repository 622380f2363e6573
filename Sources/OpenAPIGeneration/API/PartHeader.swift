/// A header field of a part of a multipart form.
struct PartHeader {
    let name: String
    let schema: Schema
    let text: String?
    let explode: Bool
    let isRequired: Bool
    /// Whether the value is sent as JSON.
    var isJSON = false
    /// The text of the only value that it can have.
    var constant: String?
    /// The text of its default.
    var fallback: String?
    let position: SourcePosition

    /// The style in the runtime.
    var style: String { ParameterStyle.simple.name(explode: explode) }
}

/// A header field of a part whose value the caller sets.
struct PartField {
    /// The property.
    let part: String
    let header: PartHeader
    /// In Swift, not escaped.
    let name: String
}
