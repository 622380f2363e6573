import GatewayCore
private import GatewayLibC

/// Caches parsed header lines. Most responses of a service repeat them byte for byte, and a cached line costs one
/// comparison instead of two strings.
///
/// The cache is small and direct-mapped: a line replaces the previous one with the same index. Lines that may contain a
/// secret are never cached.
final class FieldCache {
    /// A parsed header line.
    struct Entry {
        var field: HTTPField
        /// The value of `Content-Length`; `nil` for other fields.
        var contentLength: Int64?
        /// Whether the field is `Transfer-Encoding`; its value is always `chunked`.
        var isTransferEncoding = false
        /// Whether the field is `Content-Encoding`.
        var isContentEncoding = false
        /// The number of seconds that the server keeps the connection open, from `Keep-Alive`.
        var keepAlive: Int64?
        /// Whether the value may be secret. Such lines are not cached.
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

    /// The field of a line without its CR LF; `nil` if the line is not a valid field.
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
        // No white space before the colon (RFC 9112 §5.1); no bare CR, NUL or other control characters (RFC 9110 §5.5).
        guard HTTPSyntax.isToken(name.rawName.utf8), HTTPSyntax.isFieldValue(value.utf8) else { return nil }
        var entry = Entry(field: field, mayBeSecret: isSecret(name))
        if name == .contentLength {
            guard let length = contentLength(value) else { return nil }
            entry.contentLength = length
        } else if name == .transferEncoding {
            // The request had no `TE`, so only `chunked` is allowed, and only `chunked` delimits the content (RFC 9112
            // §6.3).
            guard HTTPSyntax.equalIgnoringCase(value, "chunked") else { return nil }
            entry.isTransferEncoding = true
        } else if name == "Keep-Alive" {
            entry.keepAlive = timeout(value)
        } else {
            entry.isContentEncoding = name == "Content-Encoding"
        }
        return entry
    }

    /// The value of a `Content-Length`: digits without overflow, or a list of equal values (RFC 9110 §8.6).
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
