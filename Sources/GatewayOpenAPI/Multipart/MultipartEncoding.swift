internal import GatewayJSON

/// How the members of an object are encoded as the parts of a form (OpenAPI 3.2, Encoding Object).
struct MultipartEncoding {
    private let lines: [[String]]

    /// Reads one line for each property: its name for JSON; its name, a tab and the name of a style; or its name and,
    /// after a tab each, `field`, and the name and value of a header field.
    init(_ text: StaticString) {
        lines = "\(text)".split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
        }
    }

    func write(_ element: JSONElement, to writer: inout MultipartWriter) throws(JSONError) {
        for line in lines where line.count == 4 { writer.setField(line[0], line[2], line[3]) }
        for (name, element) in try element.object().members {
            let own = lines.first { $0.count < 4 && $0[0].utf8.elementsEqual(name.utf8) }
            if let own, own.count > 1, let style = ParameterStyle(rawValue: own[1]) {
                try writer.parts(name, element, style)
            } else {
                try writer.fields(name, element, isJSON: own != nil)
            }
        }
    }
}
