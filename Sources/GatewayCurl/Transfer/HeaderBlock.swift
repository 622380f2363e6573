import CLibcurl
import GatewayCore
private import GatewayLibC

/// The header lines of a request as libcurl's list, in reused memory. A request with the same fields as the previous
/// one costs a comparison; other requests cost no allocation.
@safe
final class HeaderBlock {
    /// Lines that are added to the request's own fields.
    struct Extras: OptionSet {
        let rawValue: Int
        /// Prevents libcurl from adding `Expect: 100-continue` for a body.
        static let noExpect = Extras(rawValue: 1)
        /// Prevents libcurl from adding `Content-Type: application/x-www-form-urlencoded` for a body.
        static let noContentType = Extras(rawValue: 2)
        /// `Accept-Encoding` with the supported codings.
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

    /// The list. It is valid and unchanged until the next ``update(host:_:extras:)``.
    var list: UnsafeMutablePointer<curl_slist>? { unsafe lines == 0 ? nil : nodes.baseAddress }

    /// Sets the fields of the list; `false` if it already has them.
    ///
    /// - Parameter host: the line with `Host`; `Host:` for none. Why: libcurl 7.88 omits the brackets of an IPv6
    ///   address on a reused connection to a proxy.
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

    /// Whether the list has these fields. It compares texts, because keeping the fields would free them on another
    /// thread than the one that allocated them.
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

    /// libcurl interprets `Name:` as "do not send", and `Name;` as a field with an empty value.
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
