import CLibcurl
import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// The header lines of a request in libcurl's form, built in memory that is used again and again: a request
/// with the same fields as the one before costs a comparison, another costs no allocation.
@safe
final class HeaderBlock {
    /// Lines besides the request's own fields.
    struct Extras: OptionSet {
        let rawValue: Int
        /// Keeps libcurl from adding `Expect: 100-continue` to a body.
        static let noExpect = Extras(rawValue: 1)
        /// Keeps libcurl from adding `Content-Type: application/x-www-form-urlencoded` to a body.
        static let noContentType = Extras(rawValue: 2)
        /// `Accept-Encoding`, with the codings that are decoded.
        static let compression = Extras(rawValue: 4)
    }

    private static let acceptEncoding = "Accept-Encoding: \(ContentDecoder.Coding.offer)"

    private var text: UnsafeMutableBufferPointer<CChar>
    private var nodes: UnsafeMutableBufferPointer<curl_slist>
    private var used = 0
    private var lines = 0
    private var fieldCount = 0
    private var extras: Extras?

    init() {
        unsafe text = .allocate(capacity: 1024)
        unsafe nodes = .allocate(capacity: 16)
    }

    deinit {
        unsafe text.deallocate()
        unsafe nodes.deallocate()
    }

    /// The list, alive and unchanged until the next ``update(host:_:extras:)``.
    var list: UnsafeMutablePointer<curl_slist>? { unsafe lines == 0 ? nil : nodes.baseAddress }

    /// Makes the list hold these fields; `false` where it does already.
    ///
    /// - Parameter host: the line of `Host`; `Host:` for none. Left to itself libcurl 7.88 forgets the brackets of an
    ///   IPv6 address on a proxy's connection that it uses again.
    func update(host: String, _ newFields: HTTPFields, extras newExtras: Extras) -> Bool {
        if extras == newExtras, holds(host, newFields) { return false }
        fieldCount = newFields.count
        extras = newExtras
        reserve(
            characters: newFields.reduce(128 + host.utf8.count) {
                $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
            }, lines: newFields.count + 5)
        used = 0
        lines = 0
        append(host)
        var hasAccept = false
        var hasContentType = false
        for field in newFields {
            hasAccept = hasAccept || field.name == .accept
            hasContentType = hasContentType || field.name == .contentType
            append(field)
        }
        if !hasAccept { append("Accept:") }
        if newExtras.contains(.compression) { append(Self.acceptEncoding) }
        if newExtras.contains(.noExpect) { append("Expect:") }
        if newExtras.contains(.noContentType), !hasContentType { append("Content-Type:") }
        return true
    }

    /// Compares with the text: to keep the fields themselves would be to free them here, on a thread that did not
    /// make them.
    private func holds(_ host: String, _ newFields: HTTPFields) -> Bool {
        guard fieldCount == newFields.count else { return false }
        var position = 0
        guard isText(host, at: &position), isText("\0", at: &position) else { return false }
        for field in newFields {
            guard isText(field.name.rawName, at: &position), isText(Self.separator(field), at: &position),
                isText(field.value, at: &position), isText("\0", at: &position)
            else { return false }
        }
        return true
    }

    private func isText(_ string: String, at position: inout Int) -> Bool {
        var string = string
        return string.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return true }
            guard position + bytes.count <= used, let own = unsafe text.baseAddress,
                unsafe memcmp(own + position, start, bytes.count) == 0
            else { return false }
            position += bytes.count
            return true
        }
    }

    /// libcurl takes `Name:` as "do not send", and `Name;` as a field without a value.
    private static func separator(_ field: HTTPField) -> String { field.value.isEmpty ? ";" : ": " }

    private func append(_ field: HTTPField) {
        beginLine()
        write(field.name.rawName)
        write(Self.separator(field))
        write(field.value)
        endLine()
    }

    private func append(_ line: String) {
        beginLine()
        write(line)
        endLine()
    }

    private func beginLine() {
        unsafe nodes[lines] = curl_slist(data: text.baseAddress.map { unsafe $0 + used }, next: nil)
        if lines > 0 { unsafe nodes[lines - 1].next = nodes.baseAddress.map { unsafe $0 + lines } }
        lines += 1
    }

    private func write(_ string: String) {
        var string = string
        string.withUTF8 { bytes in
            let room = unsafe UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(text)[used...])
            unsafe room.copyMemory(from: UnsafeRawBufferPointer(bytes))
            used += bytes.count
        }
    }

    private func endLine() {
        unsafe text[used] = 0
        used += 1
    }

    private func reserve(characters: Int, lines: Int) {
        if unsafe characters > text.count {
            unsafe text.deallocate()
            unsafe text = .allocate(capacity: characters * 2)
        }
        if unsafe lines > nodes.count {
            unsafe nodes.deallocate()
            unsafe nodes = .allocate(capacity: lines * 2)
        }
    }
}
