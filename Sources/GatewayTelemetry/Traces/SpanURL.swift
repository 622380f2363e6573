import GatewayCore

/// `url.full` without what may be secret.
struct SpanURL: Sendable {
    /// Values that are never shown (OpenTelemetry, HTTP conventions).
    private static let secretNames: Set<Substring> = [
        "AWSAccessKeyId", "Signature", "sig", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token",
        "X-Goog-Signature",
    ]
    private static let redacted = "REDACTED"

    /// Whether the path is shown, or only the template of the operation.
    let showsPath: Bool
    /// The names of query items whose values are shown.
    let shownNames: Set<String>

    /// The URL of a request.
    func text(_ origin: Origin, _ target: String, template: String) -> String {
        guard showsPath else {
            return origin.description + (template.isEmpty ? "" : origin.basePath + template)
        }
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return origin.description + target
        }
        let items = target[mark...].dropFirst().utf8.split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false
        ).map { item(Substring($0)) }
        return origin.description + target[..<mark] + "?" + items.joined(separator: "&")
    }

    /// A query item with its name, and its value if that is shown. One without `=` may be a value.
    private func item(_ item: Substring) -> String {
        if item.isEmpty { return "" }
        guard let mark = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return Self.redacted }
        let name = item[..<mark]
        if !shownNames.isEmpty, !Self.secretNames.contains(name),
            shownNames.contains(URLEncodedForm.text(Array(name.utf8)[...]))
        {
            return String(item)
        }
        return name + "=" + Self.redacted
    }
}
