/// A parameter of an operation.
struct Parameter {
    enum Location: String {
        case path, query, header, cookie
    }

    let name: String
    let location: Location
    let isRequired: Bool
    let isDeprecated: Bool
    let text: String?
    let schema: Schema
    let style: ParameterStyle
    let explode: Bool
    let allowsReserved: Bool
    /// The media type, if the parameter has `content` instead of `schema`.
    let mediaType: String?
    /// The place of its definition. Nil if only the path template contains it.
    var place: JSONPointer?
    /// The original schema.
    var part: RawSchema.Part?
    /// The form that is the whole query, in `querystring`. Nil for other parameters.
    @Indirect var form: MediaContent?
    let position: SourcePosition
}
