/// Why bytes are not the JSON that was asked for: what is wrong, and where.
///
/// It names places and kinds, never the values found there, which may be secret. One pointer wide, so that
/// typed throws stay cheap.
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

    private final class Storage: Sendable {
        let code: Code, message: String, path: String, offset: Int?

        init(code: Code, message: String, path: String, offset: Int?) {
            self.code = code
            self.message = message
            self.path = path
            self.offset = offset
        }
    }

    private let storage: Storage

    /// An error of a code, with a message that holds no values.
    ///
    /// - Parameters:
    ///   - path: Where in the document, `$.items[3].price` say; `$` is the document itself.
    ///   - offset: The position in bytes, for errors of the grammar.
    public init(_ code: Code, _ message: String, path: String = "$", offset: Int? = nil) {
        storage = Storage(code: code, message: message, path: path, offset: offset)
    }

    /// What is wrong.
    public var code: Code { storage.code }

    /// What is wrong, for people.
    public var message: String { storage.message }

    /// Where in the document: `$`, `$.items[3].price`, `$["odd name"]`.
    public var path: String { storage.path }

    /// The position in bytes, for errors of the grammar.
    public var offset: Int? { storage.offset }

    /// Code, place and message.
    public var description: String {
        guard let offset else { return "\(code) at \(path): \(message)" }
        return "\(code) at byte \(offset): \(message)"
    }
}
