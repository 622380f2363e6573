/// One operation: a method on a path.
struct Operation {
    /// The place under `paths`, which names the operation and picks its file.
    let pointer: JSONPointer
    /// Where it is written: elsewhere if its path item is a reference.
    let source: JSONPointer
    let position: SourcePosition
    /// In upper case.
    let method: String
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
    /// The operation's or its path's own servers; none where the document's serve.
    let servers: [APIServer]
    /// Whether the operation takes an `Idempotency-Key`.
    let takesIdempotencyKey: Bool
    /// Where the answers lead on, as the document writes it.
    var links: [Link] = []
}

/// A parameter of an operation.
struct Parameter {
    enum Location: String {
        case path, query, header, cookie
    }

    enum Style: String {
        case simple, label, matrix, form, spaceDelimited, pipeDelimited, deepObject, cookie
    }

    let name: String
    let location: Location
    let isRequired: Bool
    let isDeprecated: Bool
    let text: String?
    let schema: Schema
    let style: Style
    let explode: Bool
    let allowsReserved: Bool
    /// The media type, where the parameter has `content` instead of a schema.
    let mediaType: String?
    /// Where it is written; nil for one that the path implies.
    var place: JSONPointer?
    /// The schema as it is written.
    var part: RawSchema.Part?
    let position: SourcePosition
}

/// What an operation sends.
struct RequestBody {
    let isRequired: Bool
    let text: String?
    /// What is sent unless the caller asks for another.
    var content: MediaContent
    /// The other media types that a caller may choose, by preference.
    var alternatives: [MediaContent] = []
    let position: SourcePosition

    /// All media types that can be sent.
    var contents: [MediaContent] { [content] + alternatives }
}

/// One media type of a body and its schema.
struct MediaContent {
    enum Kind {
        case json, form, multipart, text, bytes
        /// Server-sent events, JSON Lines, a JSON text sequence: values one after the other.
        case events, lines, sequence

        /// Whether the values come one after the other.
        var isStream: Bool { self == .events || self == .lines || self == .sequence }
    }

    /// As written.
    let mediaType: String
    let kind: Kind
    let schema: Schema
    /// What the document says about the properties of a form, by name.
    var encoding: [PropertyEncoding] = []
    /// The schema as it is written; nil where it says nothing.
    var part: RawSchema.Part?
}

/// How one property of a form is encoded.
struct PropertyEncoding {
    let name: String
    /// Nil where the property's type decides.
    let style: Parameter.Style?
    let explode: Bool
    /// The first of the media types that it may have; nil where its type decides.
    let contentType: String?
}

/// One documented response.
struct Response {
    enum Status: Hashable, Comparable {
        case exactly(Int)
        /// `4XX`, by its first digit.
        case range(Int)
        case `default`

        /// Exact before range before default, as they are matched.
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
        /// Whether an object's members are written `name=value`.
        var explode = false
        /// The media type, where the header has `content` instead of a schema.
        var mediaType: String?
    }

    let status: Status
    let text: String?
    /// The body that is read at once; nil for none.
    let content: MediaContent?
    /// The body whose values come one after the other; nil for none.
    let stream: MediaContent?
    /// By name.
    let headers: [Header]
    /// By name, as they are written.
    var links: [LinkObject] = []
    let position: SourcePosition
}
