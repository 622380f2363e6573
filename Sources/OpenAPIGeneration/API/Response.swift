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

        /// As in a document: `404`, `4XX`, `default`.
        var text: String {
            switch self {
            case .exactly(let status): String(status)
            case .range(let digit): "\(digit)XX"
            case .default: "default"
            }
        }

        /// Whether such a response can have content: 1xx, 204, 205 and 304 have none, whatever is documented (RFC 9110,
        /// sections 6.4.1 and 15.3.6).
        var hasContent: Bool {
            switch self {
            case .exactly(let status): status >= 200 && ![204, 205, 304].contains(status)
            case .range(let digit): digit != 1
            case .default: true
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
    /// The bodies that are decoded as a whole, each of them differently, the preferred one first. Empty: none.
    let contents: [MediaContent]
    /// The body that is a stream of values. Nil: none.
    let stream: MediaContent?
    /// By name.
    let headers: [Header]
    /// By name, as they are written.
    var links: [LinkObject] = []
    let position: SourcePosition

    /// The preferred body that is decoded as a whole. Nil: none.
    var content: MediaContent? { contents.first }

    /// The bodies that are decoded as values of their schemas.
    var values: [MediaContent] { contents.filter { $0.kind.codec != nil } }
}
