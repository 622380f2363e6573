import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// Remembers header lines: most responses of a service repeat them byte for byte, and a remembered line costs
/// one comparison instead of two strings.
///
/// Direct-mapped and small; a line whose place is taken replaces the one there. Lines that may hold a secret
/// are never remembered.
final class FieldCache {
    /// A header line, understood.
    struct Entry {
        var field: HTTPField
        /// The value of `Content-Length`; `nil` for other fields.
        var contentLength: Int64?
        /// Whether this is `Transfer-Encoding`, whose only value is `chunked`.
        var isTransferEncoding = false
        /// Whether this is `Content-Encoding`.
        var isContentEncoding = false
        /// For how many seconds the server keeps the connection, from `Keep-Alive`.
        var keepAlive: Int64?
        /// Whether the value may be a secret; such lines are not remembered.
        var mayBeSecret = false
    }

    private struct Place {
        var line: [UInt8] = []
        var entry: Entry?

        func holds(_ other: UnsafeRawBufferPointer) -> Bool {
            guard line.count == other.count, let start = other.baseAddress else { return false }
            return unsafe line.withUnsafeBytes { line in
                guard let own = line.baseAddress else { return false }
                return unsafe memcmp(own, start, line.count) == 0
            }
        }
    }

    private static let size = 256
    private static let longestLine = 160
    private var places = [Place](repeating: Place(), count: size)

    /// The field on a line; `nil` where the line is no valid field. The line ends before its CR LF.
    func field(on line: UnsafeRawBufferPointer) -> Entry? {
        guard line.count <= Self.longestLine else { return unsafe Self.parse(line) }
        let place = unsafe Int(truncatingIfNeeded: Self.hash(line)) & (Self.size - 1)
        if unsafe places[place].holds(line) { return places[place].entry }
        guard let entry = unsafe Self.parse(line) else { return nil }
        if !entry.mayBeSecret { unsafe places[place] = Place(line: [UInt8](line), entry: entry) }
        return entry
    }

    private static func parse(_ line: UnsafeRawBufferPointer) -> Entry? {
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        var start = colon + 1
        var end = line.count
        while start < end, unsafe isSpace(line[start]) { start += 1 }
        while end > start, unsafe isSpace(line[end - 1]) { end -= 1 }
        let name = unsafe HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        // Bytes that are not UTF-8 must not be replaced.
        let field =
            if unsafe line[start..<end].contains(where: { $0 >= 0x80 }) {
                unsafe HTTPField(name, bytes: [UInt8](line[start..<end]))
            } else {
                unsafe HTTPField(name, String(decoding: line[start..<end], as: UTF8.self))
            }
        let value = field.value
        // No white space before the colon (RFC 9112 §5.1), no bare CR, NUL or other control (RFC 9110 §5.5).
        guard HTTPSyntax.isToken(name.rawName.utf8), HTTPSyntax.isFieldValue(value.utf8) else { return nil }
        var entry = Entry(field: field, mayBeSecret: isSecret(name))
        if name == .contentLength {
            guard let length = contentLength(value) else { return nil }
            entry.contentLength = length
        } else if name == .transferEncoding {
            // No other coding was asked for by `TE`, and only `chunked` says where the content ends (RFC 9112 §6.3).
            guard HTTPSyntax.equalIgnoringCase(value, "chunked") else { return nil }
            entry.isTransferEncoding = true
        } else if name == "Keep-Alive" {
            entry.keepAlive = timeout(value)
        } else {
            entry.isContentEncoding = name == "Content-Encoding"
        }
        return entry
    }

    /// The length in a `Content-Length`: digits that do not overflow, or a list that repeats them (RFC 9110 §8.6).
    private static func contentLength(_ value: String) -> Int64? {
        if value.utf8.allSatisfy({ $0 &- 0x30 < 10 }) { return Int64(value) }
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        let lengths = parts.map { contentLength(String($0).trimmingHTTPWhitespace()) }
        return lengths.allSatisfy { $0 == lengths[0] } ? lengths[0] : nil
    }

    /// The parameter `timeout` of `Keep-Alive` (RFC 2068 §19.7.1.1), in seconds.
    private static func timeout(_ value: String) -> Int64? {
        for part in value.split(separator: ",") {
            let text = String(part).trimmingHTTPWhitespace()
            guard text.lowercased().hasPrefix("timeout=") else { continue }
            return Int64(text.dropFirst("timeout=".count)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }

    private static func isSecret(_ name: HTTPField.Name) -> Bool {
        if name.namesCredential { return true }
        return switch name.canonicalName {
        case "location", "www-authenticate", "proxy-authenticate", "refresh", "link": true
        default: false
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func hash(_ line: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(line.count)
        var index = 0
        while index + 8 <= (line.count) {
            hash =
                unsafe (hash ^ line.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            index += 8
        }
        while index < (line.count) {
            hash = unsafe (hash ^ UInt64(line[index])) &* 0x9E37_79B9_7F4A_7C15
            index += 1
        }
        return hash ^ hash >> 32
    }
}
