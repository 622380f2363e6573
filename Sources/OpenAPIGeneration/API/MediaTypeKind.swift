/// How bodies of a media type are sent and received.
enum MediaTypeKind: String {
    case json, form, multipart, text, bytes
    /// Streams: server-sent events, JSON Lines, JSON text sequences. The runtime's framings have these names.
    case events, lines, sequence

    /// How the body of a request is encoded.
    enum Encoding: Equatable {
        /// As a value of the schema.
        case value(BodyCodec)
        case form, multipart, text, bytes
    }

    /// How the body of a response is decoded.
    enum Decoding: Equatable {
        /// As a value of the schema.
        case value(BodyCodec)
        case text, bytes
        /// As one value of the schema after another.
        case stream
    }

    var encoding: Encoding {
        switch self {
        case .json: .value(.json)
        case .form: .form
        case .multipart: .multipart
        case .text: .text
        case .bytes, .events, .lines, .sequence: .bytes
        }
    }

    var decoding: Decoding {
        switch self {
        case .json: .value(.json)
        case .text: .text
        case .form, .multipart, .bytes: .bytes
        case .events, .lines, .sequence: .stream
        }
    }

    /// The codec of the values. Nil: bodies are not decoded as one value.
    var codec: BodyCodec? {
        if case .value(let codec) = decoding { return codec }
        return nil
    }

    var isStream: Bool { decoding == .stream }

    /// The kind of a media type, and its place among the media types of a body: the lowest rank is preferred.
    static func ranked(_ type: MediaType) -> (kind: MediaTypeKind, rank: Int) {
        let essence = type.essence
        switch essence {
        case "application/json": return (.json, 0)
        case "application/x-www-form-urlencoded": return (.form, 2)
        case "multipart/form-data": return (.multipart, 3)
        case "application/octet-stream": return (.bytes, 4)
        case "text/event-stream": return (.events, 7)
        case "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
            "application/ndjson", "application/x-ndjson", "application/x-json-stream", "text/jsonl":
            return (.lines, 8)
        case "application/json-seq": return (.sequence, 9)
        default: break
        }
        if type.isJSON { return (.json, 1) }
        if essence.hasSuffix("+jsonl") { return (.lines, 8) }
        if essence.hasSuffix("+json-seq") { return (.sequence, 9) }
        return essence.hasPrefix("text/") ? (.text, 5) : (.bytes, 6)
    }
}
