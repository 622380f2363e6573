internal import GatewayJSON

/// How the properties of a form are written (OpenAPI 3.2, Encoding Object).
struct FormEncoding {
    private var styles: [String: ParameterStyle] = [:]

    /// Reads lines of a name, a tab, and a style's name.
    init(_ text: StaticString) {
        guard text.utf8CodeUnitCount > 0 else { return }
        for line in "\(text)".split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, let style = ParameterStyle(rawValue: String(parts[1])) {
                styles[String(parts[0])] = style
            }
        }
    }

    /// `name=value`, as often as the property's value needs.
    func pieces(_ name: String, _ element: JSONElement) throws(JSONError) -> [String] {
        var style = styles[name] ?? .formExploded
        var element = element
        if styles[name] == nil, element.type == .object {
            // Without a style an object's content type is JSON.
            let text = String(decoding: try JSONValue(json: element).jsonBytes(), as: UTF8.self)
            element = try JSONDocument(text.jsonBytes()).root
            style = .form
        }
        return try ParameterSerializer(name: name, style: style, allowed: .form).pieces(element)
    }
}
