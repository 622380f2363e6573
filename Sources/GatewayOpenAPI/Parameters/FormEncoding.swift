internal import GatewayJSON

/// How the properties of a form are encoded (OpenAPI 3.2, Encoding Object).
struct FormEncoding {
    private struct Entry {
        /// `nil`: as JSON.
        let style: ParameterStyle?
        let allowed: PercentEncoding.Allowed
    }

    /// By the bytes of the name.
    private var entries: [[UInt8]: Entry] = [:]

    /// Reads one line per property: its name, a tab, and the name of a style or `json`. If reserved characters are not
    /// percent-encoded, another tab and `reserved` follow.
    init(_ text: StaticString) {
        guard text.utf8CodeUnitCount > 0 else { return }
        for line in "\(text)".split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            guard parts.count >= 2 else { continue }
            let style = ParameterStyle(rawValue: parts[1])
            guard style != nil || parts[1] == "json" else { continue }
            entries[Array(parts[0].utf8)] = Entry(style: style, allowed: parts.count > 2 ? .reserved : .form)
        }
    }

    /// The `name=value` pairs of a property.
    func pieces(_ name: String, _ element: JSONElement) throws(JSONError) -> [String] {
        let entry = entries[Array(name.utf8)]
        var style = entry?.style ?? .formExploded
        var element = element
        // The default content type of an object is JSON.
        if entry.map({ $0.style == nil }) ?? (element.type == .object) {
            let text = String(decoding: try JSONValue(json: element).jsonBytes(), as: UTF8.self)
            element = try JSONDocument(text.jsonBytes()).root
            style = .form
        }
        return try ParameterSerializer(name: name, style: style, allowed: entry?.allowed ?? .form).pieces(
            element)
    }
}
