/// The request body of an operation.
struct RequestBody {
    let isRequired: Bool
    let text: String?
    /// The default media type.
    var content: MediaContent
    /// The alternative media types, by preference.
    var alternatives: [MediaContent] = []
    let position: SourcePosition

    /// All media types that can be sent.
    var contents: [MediaContent] { [content] + alternatives }
}
