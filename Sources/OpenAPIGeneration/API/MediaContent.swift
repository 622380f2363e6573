/// One media type of a body and its schema.
struct MediaContent {
    /// As written.
    var mediaType: String
    var kind: MediaTypeKind
    let schema: Schema
    /// The `encoding` of the properties of a form.
    var encoding: [PropertyEncoding] = []
    /// The original schema. Nil: none.
    var part: RawSchema.Part?
    /// Other media types of a response that are read in the same way, by preference.
    var alternatives: [String] = []

    var mediaTypes: [String] { [mediaType] + alternatives }
}

extension MediaContent {
    /// The argument label of an alternative media type, or the name of its case.
    var label: String { Self.label(of: mediaType) }

    /// The word for a media type in names: mostly its subtype.
    static func label(of mediaType: String) -> String {
        let bare = MediaType(mediaType).essence
        switch bare {
        case "*/*": return "bytes"
        case "application/x-www-form-urlencoded": return "form"
        case "application/octet-stream": return "bytes"
        case "multipart/form-data": return "multipart"
        case "text/plain": return "text"
        default: break
        }
        if bare.hasSuffix("/*") { return SwiftName.member(String(bare.dropLast(2))) }
        let subtype = bare.split(separator: "/", maxSplits: 1).last.map { String($0) } ?? bare
        return SwiftName.member(subtype.hasPrefix("x-") ? String(subtype.dropFirst(2)) : subtype)
    }
}
