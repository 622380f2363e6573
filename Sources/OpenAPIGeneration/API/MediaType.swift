/// A media type of the document (RFC 9110, section 8.3.1). Preferred media types are ordered first.
struct MediaType: Comparable {
    /// As written.
    let text: String
    /// Type and subtype in lower case, without parameters.
    let essence: String

    init(_ text: some StringProtocol) {
        self.text = String(text)
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }
        essence = String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// The first of a list such as `image/png, image/jpeg`.
    init(first list: String) {
        self.init(list.prefix { $0 != "," })
    }

    @inline(never)
    var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }

    /// Whether a request body of this type has a structure that is not supported.
    var isStructured: Bool {
        essence.hasPrefix("multipart/") || essence.hasSuffix("xml") || essence.hasSuffix("yaml")
    }

    /// Whether it encodes values as JSON does, but cannot be decoded. A response in it has the same meaning as one in
    /// JSON.
    var isUndecodable: Bool {
        if essence.hasPrefix("image/") { return false }
        if isStructured || essence == "application/x-www-form-urlencoded" { return true }
        return ["cbor", "msgpack", "messagepack", "protobuf", "bson", "avro", "smile", "toml", "grpc"]
            .contains { essence.hasSuffix($0) } || essence.hasPrefix("application/grpc")
    }

    /// Whether the text is a media type: printable ASCII with a slash.
    var isValid: Bool {
        text.utf8.contains(UInt8(ascii: "/")) && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// Whether `Accept` can contain it (RFC 9110, section 12.5.1): `*` only as a whole subtype or type.
    var isRange: Bool {
        let parts = text.prefix { $0 != ";" }.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return false }
        let (main, sub) = (parts[0], parts[1].filter { $0 != " " })
        return (!main.contains("*") || (main == "*" && sub == "*")) && (!sub.contains("*") || sub == "*")
    }

    /// Whether the media type is not an alternative to the preferred one: patterns cannot be sent, and `text/json` is
    /// an alias of JSON.
    func isRedundant(nextTo preferred: MediaType) -> Bool {
        text.utf8.contains(UInt8(ascii: "*")) || (preferred.isJSON && essence == "text/json")
    }

    var kind: MediaTypeKind { MediaTypeKind.ranked(self).kind }

    /// By preference, then by name, so that the order of keys has no effect.
    static func < (left: MediaType, right: MediaType) -> Bool {
        (MediaTypeKind.ranked(left).rank, left.text) < (MediaTypeKind.ranked(right).rank, right.text)
    }

    static func == (left: MediaType, right: MediaType) -> Bool { left.text == right.text }

    /// The preferred one of a body's media types.
    static func preferred(_ content: [Node.Object.Member]) -> Node.Object.Member? {
        content.min { MediaType($0.key) < MediaType($1.key) }
    }
}
