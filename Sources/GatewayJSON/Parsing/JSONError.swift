/// Why bytes are not the JSON that was asked for: what is wrong, and where.
///
/// It names places and kinds, never the values found there, which may be secret, nor names of members that the type does
/// not have. All texts have at most 1 KiB. One pointer wide, so that typed throws stay cheap.
public struct JSONError: Error, Sendable, CustomStringConvertible {
    /// What is wrong; the contract, where ``message`` is only for people.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name of the code.
        public let name: String

        init(_ name: String) { self.name = name }

        /// The name.
        public var description: String { name }

        /// The bytes break the grammar of RFC 8259.
        public static let syntax = Code("syntax")
        /// The bytes are not UTF-8 (RFC 3629), or an escape names a surrogate without its pair.
        public static let encoding = Code("encoding")
        /// Arrays and objects are nested deeper than allowed.
        public static let tooDeep = Code("too_deep")
        /// The document is larger than allowed.
        public static let tooLarge = Code("too_large")
        /// The document needs more work than allowed: unions within unions try their branches again and again.
        public static let tooComplex = Code("too_complex")
        /// The task was cancelled while a large document was decoded.
        public static let cancelled = Code("cancelled")
        /// The deadline of the call passed while a large document was decoded.
        public static let timeout = Code("timeout")
        /// An object names a member twice (RFC 8259, section 4; RFC 7493, section 2.3).
        public static let duplicateKey = Code("duplicate_key")
        /// A required member is absent.
        public static let missing = Code("missing")
        /// A value is of another type than asked for.
        public static let wrongType = Code("wrong_type")
        /// A number does not fit the type asked for.
        public static let outOfRange = Code("out_of_range")
        /// A string is not of the format asked for.
        public static let wrongFormat = Code("wrong_format")
        /// A value cannot be written as JSON.
        public static let notRepresentable = Code("not_representable")
    }

    /// The message, made when it is asked for: a union drops the errors of the branches that do not fit.
    enum Message: Sendable {
        case text(String)
        case fixed(StaticString)
        case expected(StaticString)
        case expectedNot(StaticString, JSONType)

        var text: String {
            switch self {
            case .text(let text): text
            case .fixed(let text): "\(text)"
            case .expected(let expected): "\(expected) is expected"
            case .expectedNot(let expected, let type): "\(expected) is expected, not \(type.phrase)"
            }
        }
    }

    /// The path, made when it is asked for: finding it takes a walk from the root.
    enum Place: Sendable {
        case path(String)
        case value(JSONElement)
        case member(JSONElement, StaticString)

        var path: String {
            switch self {
            case .path(let path): path
            case .value(let element): element.path
            case .member(let object, let key): object.path + JSONDocument.step("\(key)")
            }
        }
    }

    private final class Storage: Sendable {
        let code: Code, message: Message, place: Place, offset: Int?

        init(code: Code, message: Message, place: Place, offset: Int?) {
            self.code = code
            self.message = message
            self.place = place
            self.offset = offset
        }
    }

    private let storage: Storage

    /// An error of a code, with a message that holds no values.
    ///
    /// - Parameters:
    ///   - message: what is wrong, for people. Of more than 400 bytes the beginning and the end are kept.
    ///   - path: where in the document, `$.items[3].price` say; `$` is the document itself. Of more than 400 bytes the
    ///     beginning and the end are kept.
    ///   - offset: the position in bytes, for errors of the grammar.
    public init(_ code: Code, _ message: String, path: String = "$", offset: Int? = nil) {
        storage = Storage(
            code: code, message: .text(Self.bounded(message)), place: .path(Self.bounded(path)),
            offset: offset)
    }

    /// The error of a value in a document.
    init(_ code: Code, _ message: Message, at place: Place) {
        storage = Storage(code: code, message: message, place: place, offset: nil)
    }

    /// The same error without its document, which may be large.
    var withoutDocument: JSONError {
        if case .path = storage.place { return self }
        return JSONError(code, message, path: path, offset: offset)
    }

    /// What is wrong.
    public var code: Code { storage.code }

    /// What is wrong, for people. At most 400 bytes.
    public var message: String { Self.bounded(storage.message.text) }

    /// Where in the document: `$`, `$.items[3].price`, `$["odd name"]`. A member that was not asked for by name has its
    /// position, from 0: `$.prices[#2]`. At most 400 bytes: of a longer path the beginning and the end.
    public var path: String { Self.bounded(storage.place.path) }

    /// The text, or its beginning and its end if it has more than 400 bytes.
    private static func bounded(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.count > 400 else { return text }
        var end = bytes.index(bytes.startIndex, offsetBy: 198)
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { bytes.formIndex(before: &end) }
        var start = bytes.index(bytes.endIndex, offsetBy: -198)
        while start < bytes.endIndex, bytes[start] & 0xC0 == 0x80 { bytes.formIndex(after: &start) }
        return "\(text[..<end])…\(text[start...])"
    }

    /// The position in bytes, for errors of the grammar.
    public var offset: Int? { storage.offset }

    /// Code, place and message.
    public var description: String {
        guard let offset else { return "\(code) at \(path): \(message)" }
        return "\(code) at byte \(offset): \(message)"
    }
}
