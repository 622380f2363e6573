/// A media type of the document, compared without its parameters (RFC 9110, section 8.3.1).
struct MediaType {
    /// Type and subtype in lower case.
    let essence: String

    init(_ text: some StringProtocol) {
        essence = text.prefix { $0 != ";" }.lowercased().split(separator: " ").joined()
    }

    /// The first of a list such as `image/png, image/jpeg`.
    init(first list: String) {
        self.init(list.prefix { $0 != "," })
    }

    var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }

    /// Whether a request body of this type has a structure that is not supported.
    var isStructured: Bool {
        essence.hasPrefix("multipart/") || essence.hasSuffix("xml") || essence.hasSuffix("yaml")
    }

    var kind: MediaContent.Kind { form.kind }
    /// The order of preference, the lowest first.
    var rank: Int { form.rank }

    private var form: (kind: MediaContent.Kind, rank: Int) {
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
        if isJSON { return (.json, 1) }
        if essence.hasSuffix("+jsonl") { return (.lines, 8) }
        if essence.hasSuffix("+json-seq") { return (.sequence, 9) }
        return essence.hasPrefix("text/") ? (.text, 5) : (.bytes, 6)
    }
}
