/// How the body of a response or of a received request is read.
enum BodyReading: Equatable {
    case value(SwiftType, BodyCodec)
    case text, bytes, empty
    /// A body that is streamed as bytes.
    case stream
    /// One of several types, selected by status, with the name of their enum.
    case several(String)

    /// How a complete body is read.
    init(_ content: MediaContent?, _ types: SchemaTypes) {
        guard let content else {
            self = .empty
            return
        }
        switch content.kind.decoding {
        case .value(let codec): self = .value(types.full(content.schema), codec)
        case .text: self = .text
        case .bytes, .stream: self = .bytes
        }
    }

    /// The type that a method returns. Nil: it returns nothing.
    var returned: SwiftType? {
        switch self {
        case .value(let type, _): type
        case .text: "String"
        case .bytes, .stream: "ResponseBody"
        case .empty: nil
        case .several(let name): .declared(name)
        }
    }

    /// The type of a body that is read completely. Nil: no body.
    var received: SwiftType? {
        switch self {
        case .value(let type, _): type
        case .text: "String"
        case .bytes, .stream: .bytes
        case .empty, .several: nil
        }
    }

    /// Equal for equal bodies, and independent of the namespace. Nil: no body.
    var key: String? {
        switch self {
        case .value(let type, let codec): type.text() + codec.mark
        case .text: "text"
        case .bytes, .stream: "bytes"
        case .empty, .several: nil
        }
    }
}
