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
}

extension MediaContent {
    /// The argument label of an alternative media type.
    var label: String {
        let bare = MediaType(mediaType).essence
        switch bare {
        case "application/x-www-form-urlencoded": return "form"
        case "application/octet-stream": return "bytes"
        case "multipart/form-data": return "multipart"
        case "text/plain": return "text"
        default: break
        }
        let subtype = bare.split(separator: "/", maxSplits: 1).last.map { String($0) } ?? bare
        return SwiftName.member(subtype.hasPrefix("x-") ? String(subtype.dropFirst(2)) : subtype)
    }
}
