/// Values that travel with a trace from service to service (W3C Baggage).
///
/// ```swift
/// let baggage = Baggage(fields: incoming.fields)
/// ```
/// They are sent to every server that is called, other companies' included: put no secret and nothing personal in them. They do
/// not follow a redirect to another origin.
public struct Baggage: Hashable, Sendable {
    /// A value with its name.
    public struct Member: Hashable, Sendable {
        /// The name: a token (RFC 9110 §5.6.2).
        public let key: String
        /// The value, decoded.
        public let value: String
        /// Properties as they are sent, such as `ttl=30`, separated by `;`; empty if there are none.
        public let properties: String

        /// Makes a member.
        ///
        /// - Returns: `nil` if the key is not a token, or the properties have characters that are not allowed.
        public init?(_ key: String, _ value: String, properties: String = "") {
            guard HTTPSyntax.isToken(key.utf8), properties.utf8.allSatisfy(Self.isPropertyByte) else {
                return nil
            }
            self.key = key
            self.value = value
            self.properties = properties
        }

        /// The characters of tokens and values, `=`, `;`, and white space between them.
        private static func isPropertyByte(_ byte: UInt8) -> Bool {
            Baggage.isValueByte(byte) || "=;% \t".utf8.contains(byte)
        }

        var text: String {
            let value = String(percentEncoding: Array(value.utf8), keeping: Baggage.isValueByte)
            return key + "=" + value + (properties.isEmpty ? "" : ";" + properties)
        }
    }

    /// The largest number of members that are sent and read.
    public static let memberLimit = 64
    /// The largest size of the field, in bytes.
    public static let byteLimit = 8_192

    /// The members, in order, at most ``memberLimit`` and ``byteLimit``.
    public let members: [Member]

    /// Makes baggage. Members that exceed a limit are left out. Of members with the same key, the last one is kept.
    public init(_ members: [Member] = []) {
        var kept: [Member] = []
        var size = 0
        for (index, member) in members.enumerated() {
            let length = member.text.utf8.count + (kept.isEmpty ? 0 : 1)
            guard kept.count < Self.memberLimit, size + length <= Self.byteLimit,
                !members[(index + 1)...].contains(where: { $0.key == member.key })
            else { continue }
            kept.append(member)
            size += length
        }
        self.members = kept
    }

    /// Reads the field `baggage` of an incoming request. Members that are invalid are left out.
    public init(fields: HTTPFields) { self.init(values: fields.values(for: .baggage)) }

    /// Reads values of the field `baggage`, in order. Members that are invalid are left out.
    public init(values: [String]) {
        var members: [Member] = []
        for value in values {
            for part in value.utf8.split(separator: UInt8(ascii: ",")) {
                guard members.count < 4 * Self.memberLimit else { break }
                if let member = Self.member(Substring(part)) { members.append(member) }
            }
        }
        self.init(members)
    }

    private static func member(_ text: Substring) -> Member? {
        let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
        guard let mark = text[..<end].utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = text[mark..<end].dropFirst().trimmingHTTPWhitespace()
        guard value.utf8.allSatisfy({ isValueByte($0) || $0 == UInt8(ascii: "%") }) else { return nil }
        return Member(
            String(text[..<mark].trimmingHTTPWhitespace()), String(percentDecoding: Array(value.utf8)[...]),
            properties: String(text[end...].dropFirst().trimmingHTTPWhitespace()))
    }

    /// Whether there is none.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the member with this key; `nil` if there is none.
    public subscript(key: String) -> String? { members.first { $0.key == key }?.value }

    /// The value of the field `baggage`.
    public var field: String { members.map(\.text).joined(separator: ",") }

    /// `baggage-octet` (W3C Baggage §3.3.1) without `%`.
    fileprivate static func isValueByte(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\",;\\%".utf8.contains(byte)
    }
}

extension Baggage: Redacted {
    /// The keys alone.
    public var description: String { "baggage with keys \(members.map(\.key))" }
}

extension Baggage.Member: Redacted {
    /// The key alone.
    public var description: String { "\(key)=…" }
}
