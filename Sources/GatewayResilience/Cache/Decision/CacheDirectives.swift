import GatewayCore

/// The directives of `Cache-Control` (RFC 9111 §5.2, RFC 5861, RFC 8246). Names are compared case-insensitively; unknown
/// directives are ignored.
struct CacheDirectives: Sendable {
    /// An argument in seconds.
    enum Seconds: Hashable, Sendable {
        case value(Int64)
        /// It is malformed, or it occurs several times with different values (RFC 9111 §4.2.1).
        case invalid

        /// The number; 0 if invalid: the response is stale.
        var orZero: Int64 { if case .value(let value) = self { value } else { 0 } }
        /// The number; `nil` for an invalid one.
        var valid: Int64? { if case .value(let value) = self { value } else { nil } }
    }

    var noStore = false
    /// Without field names.
    var noCache = false
    /// The names of `no-cache="…"`.
    var noCacheFields: [HTTPField.Name] = []
    var mustRevalidate = false
    var mustUnderstand = false
    var isPublic = false
    var isPrivate = false
    var immutable = false
    var onlyIfCached = false
    var maxAge: Seconds?
    var staleWhileRevalidate: Seconds?
    var staleIfError: Seconds?
    var minFresh: Seconds?
    var maxStale: Seconds?
    /// `max-stale` without an argument: any staleness.
    var anyStale = false

    /// The maximum number of seconds (RFC 9111 §1.2.2).
    static let longest: Int64 = 2_147_483_648

    init() {}

    /// Reads all lines of the field.
    init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl { read(field.value) }
    }

    private mutating func read(_ value: String) {
        for member in FieldList.members(of: value) {
            let name: Substring
            let argument: String?
            if let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")) {
                name = member[..<equals]
                argument = FieldList.unquoted(member[member.utf8.index(after: equals)...])
            } else {
                name = member
                argument = nil
            }
            apply(name.lowercased(), argument)
        }
    }

    private mutating func apply(_ name: String, _ argument: String?) {
        switch name {
        case "no-store": noStore = true
        case "no-cache":
            let names = argument.map { FieldList.members(of: $0).map { HTTPField.Name(String($0)) } } ?? []
            if names.isEmpty { noCache = true } else { noCacheFields += names }
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": immutable = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": Self.merge(&maxAge, argument)
        case "stale-while-revalidate": Self.merge(&staleWhileRevalidate, argument)
        case "stale-if-error": Self.merge(&staleIfError, argument)
        case "min-fresh": Self.merge(&minFresh, argument)
        case "max-stale": if argument == nil { anyStale = true } else { Self.merge(&maxStale, argument) }
        default: break
        }
    }

    private static func merge(_ known: inout Seconds?, _ argument: String?) {
        let read = argument.flatMap(seconds).map(Seconds.value) ?? .invalid
        known = known == nil || known == read ? read : .invalid
    }

    /// A number of seconds (RFC 9111 §1.2.2): digits only; larger numbers are clamped to ``longest``.
    static func seconds(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return min(Int64(text) ?? longest, longest)
    }
}

extension HTTPField.Name {
    /// `Cache-Control` (RFC 9111 §5.2).
    static let cacheControl = Self("Cache-Control")
}

/// Reads lists of HTTP fields (RFC 9110 §5.6.1).
enum FieldList {
    /// The members, without surrounding white space; empty ones are omitted. Commas in quoted strings are
    /// not separators.
    static func members(of value: some StringProtocol) -> [Substring] {
        let value = Substring(value)
        var members: [Substring] = []
        let utf8 = value.utf8
        var start = utf8.startIndex
        var index = start
        var isQuoted = false
        func add(_ end: Substring.Index) {
            let member = trimmed(value[start..<end])
            if !member.isEmpty { members.append(member) }
        }
        while index < utf8.endIndex {
            switch utf8[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted:
                index = utf8.index(after: index)
                if index == utf8.endIndex { continue }
            case UInt8(ascii: ",") where !isQuoted:
                add(index)
                start = utf8.index(after: index)
            default: break
            }
            index = utf8.index(after: index)
        }
        add(utf8.endIndex)
        return members
    }

    /// Without spaces and tabs around it.
    static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let byte = text.utf8.first, byte == 0x20 || byte == 0x09 { text = text.dropFirst() }
        while let byte = text.utf8.last, byte == 0x20 || byte == 0x09 { text = text.dropLast() }
        return text
    }

    /// The text of a token or a quoted string.
    static func unquoted(_ text: Substring) -> String {
        guard text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""),
            text.utf8.last == UInt8(ascii: "\"")
        else { return String(text) }
        var unquoted = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                unquoted.append(character)
                isEscaped = false
            }
        }
        return unquoted
    }
}
