/// One operation: a method on a path.
struct Operation {
    /// The place under `paths`. Names and files depend on it.
    let pointer: JSONPointer
    /// The place of its definition, after references are resolved.
    let source: JSONPointer
    let position: SourcePosition
    /// In upper case.
    let method: String
    /// As written. A fragment is not sent; it distinguishes operations.
    let path: String
    let id: String?
    let tags: [String]
    let summary: String?
    let text: String?
    let isDeprecated: Bool
    /// Path, query, header and cookie, in the order of the document's arrays: path level first.
    let parameters: [Parameter]
    var body: RequestBody?
    let responses: [Response]
    let security: SecurityRequirement
    /// The servers of the operation or its path. Empty: the servers of the document.
    let servers: [APIServer]
    /// The form of the generated `Idempotency-Key`. Nil: none is generated.
    let idempotencyKey: IdempotencyKeyForm?
    /// The links of the responses.
    var links: [Link] = []

    /// The name in descriptions and messages.
    var name: String { id ?? method + " " + path }
}

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
    let position: SourcePosition
}

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

/// How one property of a form is encoded.
struct PropertyEncoding {
    let name: String
    /// Nil: depends on the type of the property.
    let style: ParameterStyle?
    let explode: Bool
    /// Whether reserved characters are not percent-encoded.
    var allowsReserved = false
    /// The allowed media types; the first is used. Nil: depends on the type of the property.
    let contentType: String?
    let position: SourcePosition

    /// Whether the property is sent as JSON, regardless of its type.
    var isJSON: Bool { contentType.map { MediaType(first: $0).isJSON } ?? false }
}

/// One documented response.
struct Response {
    enum Status: Hashable, Comparable {
        case exactly(Int)
        /// `4XX`, by its first digit.
        case range(Int)
        case `default`

        /// Ordered as they are matched: exact, range, default.
        static func < (lhs: Status, rhs: Status) -> Bool { lhs.order < rhs.order }

        /// Whether it documents a success.
        var isSuccess: Bool {
            switch self {
            case .exactly(let status): (200..<300).contains(status)
            case .range(let digit): digit == 2
            case .default: false
            }
        }

        private var order: Int {
            switch self {
            case .exactly(let status): status
            case .range(let digit): 10_000 + digit
            case .default: 100_000
            }
        }
    }

    struct Header {
        let name: String
        let schema: Schema
        let text: String?
        /// Whether the members of an object are serialized as `name=value`.
        var explode = false
        /// The media type, if the header has `content` instead of `schema`.
        var mediaType: String?
    }

    let status: Status
    let text: String?
    /// The body that is decoded as a whole. Nil: none.
    let content: MediaContent?
    /// The body that is a stream of values. Nil: none.
    let stream: MediaContent?
    /// Other media types that are read in the same way as `content`, by preference.
    var contentAlternatives: [String] = []
    /// Other media types that are read in the same way as `stream`, by preference.
    var streamAlternatives: [String] = []
    /// By name.
    let headers: [Header]
    /// By name, as they are written.
    var links: [LinkObject] = []
    let position: SourcePosition
}
