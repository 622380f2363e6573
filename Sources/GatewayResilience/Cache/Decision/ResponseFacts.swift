import GatewayCore

/// The parsed fields of a response that concern storing and using it.
struct ResponseFacts: Sendable {
    /// The request fields that select a response (RFC 9110 §12.5.5).
    enum Selection: Sendable {
        /// `*`: no request is known to select the response.
        case none
        case fields([HTTPField.Name])
    }

    let directives: CacheDirectives
    /// `Date` in seconds since 1970, or when the response arrived.
    let date: Int64
    /// `Age` in seconds; 0 without a valid one.
    let age: Int64
    /// The explicit freshness in seconds: `max-age`, otherwise `Expires`. An invalid value is 0; `nil`
    /// without both.
    let freshness: Int64?
    let lastModified: Int64?
    let selection: Selection

    init(status: Int, fields: HTTPFields, received: Duration) {
        directives = CacheDirectives(fields)
        let date = fields[.date].flatMap { HTTPDate.parse($0, unixTime: received) }
        let sent = date ?? received.wholeSeconds
        self.date = sent
        age = Self.age(fields)
        lastModified = fields[.lastModified].flatMap { HTTPDate.parse($0, unixTime: received) }
        if let maxAge = directives.maxAge {
            freshness = maxAge.orZero
        } else if fields.contains(.expires) {
            // An invalid date is in the past (RFC 9111 §5.3), as are conflicting dates (§4.2.1).
            let expires = fields[.expires].flatMap { HTTPDate.parse($0, unixTime: received) }
            freshness = expires.map { max(0, $0.subtractingClamped(sent)) } ?? 0
        } else {
            freshness = nil
        }
        selection = Self.selection(fields)
    }

    /// The first member is used; a value that is not a number is ignored (RFC 9111 §5.1).
    private static func age(_ fields: HTTPFields) -> Int64 {
        guard let first = fields.first(where: { $0.name == .age }) else { return 0 }
        let member = first.value.prefix { $0 != "," }
        return CacheDirectives.seconds(FieldList.trimmed(member)) ?? 0
    }

    private static func selection(_ fields: HTTPFields) -> Selection {
        var names: [HTTPField.Name] = []
        for field in fields where field.name == .vary {
            for member in FieldList.members(of: field.value) {
                if member == "*" { return .none }
                let name = HTTPField.Name(String(member))
                if !names.contains(name) { names.append(name) }
            }
        }
        return .fields(names)
    }
}

extension HTTPField.Name {
    /// `Age` (RFC 9111 §5.1).
    static let age = Self("Age")
    /// `Expires` (RFC 9111 §5.3).
    static let expires = Self("Expires")
    /// `Last-Modified` (RFC 9110 §8.8.2).
    static let lastModified = Self("Last-Modified")
    /// `ETag` (RFC 9110 §8.8.3).
    static let entityTag = Self("ETag")
    /// `Vary` (RFC 9110 §12.5.5).
    static let vary = Self("Vary")
}
