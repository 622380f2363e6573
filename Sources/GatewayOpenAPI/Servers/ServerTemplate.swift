internal import GatewayCore

/// A server URL with variables in braces (OpenAPI 3.1.1, section 4.6).
///
/// The value of a variable cannot extend or replace the host: characters that are not allowed in a host name are
/// percent-encoded, and a host with `%` is rejected when the URL is parsed. In a path, characters that a path does not
/// allow are percent-encoded.
struct ServerTemplate {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The URL with the values of the variables. A variable without a value is kept in braces, which makes the URL
    /// invalid.
    func expanded(_ value: (String) -> String?) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            if let value = value(name) {
                result += encoded(value, after: result)
            } else {
                result += rest[open...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private func encoded(_ value: String, after prefix: String) -> String {
        let pieces = prefix.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        // A variable at the start of the template is a URL or a scheme.
        if prefix.isEmpty { return value }
        let isRelative = prefix.utf8.first == UInt8(ascii: "/") && !prefix.hasPrefix("//")
        let isHost = !isRelative && pieces.count == 3 && pieces[1].isEmpty
        return Self.encode(value, isHost: isHost)
    }

    private static func encode(_ value: String, isHost: Bool) -> String {
        String(percentEncoding: Array(value.utf8)) { byte in
            isHost
                ? byte.isAlphanumeric || "-._:[]".utf8.contains(byte)
                : byte.isUnreserved || "/:@!$&'()*+,;=".utf8.contains(byte)
        }
    }
}
