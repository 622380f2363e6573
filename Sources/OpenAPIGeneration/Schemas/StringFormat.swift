/// The format of a string.
enum StringFormat: String, CaseIterable, Hashable, Sendable {
    case plain, date, dateTime, uuid, uri, base64, base64URL, duration
    /// Only by the configuration.
    case url
    /// A number in a string, because some JSON parsers would lose precision.
    case integerText, unsignedText, decimalText
    /// Raw bytes in a multipart part; plain text elsewhere.
    case binary

    struct Traits {
        /// The values of `format`.
        let names: [String]
        let type: SwiftType
        /// The size of a value, in bytes.
        let size: Int
        /// Whether the size of an optional value is the same.
        var hasSpareBits = false
        /// The order in which the formats of a union are tried: the strictest first. Nil: all strings are valid.
        var strictness: Int?
    }

    /// The Swift type and its properties.
    var traits: Traits {
        switch self {
        case .plain: Traits(names: [], type: "String", size: 16, hasSpareBits: true)
        case .binary: Traits(names: ["binary"], type: "String", size: 16, hasSpareBits: true)
        case .dateTime: Traits(names: ["date-time"], type: "Date", size: 8, strictness: 0)
        case .date: Traits(names: ["date"], type: "CalendarDate", size: 12, strictness: 1)
        case .uuid: Traits(names: ["uuid"], type: "UUID", size: 16, strictness: 2)
        case .integerText:
            Traits(
                names: ["int64", "int32"], type: .generic("AsText", ["Int64"]), size: 24, strictness: 3)
        case .unsignedText:
            Traits(names: ["uint64"], type: .generic("AsText", ["UInt64"]), size: 24, strictness: 3)
        case .decimalText:
            Traits(names: ["decimal"], type: .generic("AsText", ["Decimal"]), size: 36, strictness: 3)
        case .duration: Traits(names: ["duration"], type: "CalendarDuration", size: 40, strictness: 4)
        case .base64:
            Traits(names: ["byte"], type: "Base64Data", size: 8, hasSpareBits: true, strictness: 5)
        case .base64URL:
            Traits(names: ["base64url"], type: "Base64URLData", size: 8, hasSpareBits: true, strictness: 5)
        case .uri: Traits(names: ["uri"], type: "URI", size: 16, hasSpareBits: true)
        // No document has this format.
        case .url: Traits(names: ["uri as URL"], type: "URL", size: 8, hasSpareBits: true, strictness: 6)
        }
    }

    private static let byName = allCases.reduce(into: [String: StringFormat]()) { all, format in
        for name in format.traits.names { all[name] = format }
    }

    /// The format of a document. Nil for a format without a type.
    init?(named name: String) {
        guard let format = Self.byName[name] else { return nil }
        self = format
    }
}
