/// Reports examples and defaults of dates in a form that generated code cannot decode. The server may send such values.
struct DateExamples {
    let sink: DiagnosticSink

    func check(_ schema: Node) {
        guard let format = schema["format"]?.string, ["date", "date-time"].contains(format),
            (schema["type"].map { $0.array ?? [$0] } ?? []).contains(where: { $0.string == "string" })
        else { return }
        let values =
            [schema["example"], schema["default"]].compactMap { $0 } + (schema["examples"]?.array ?? [])
        for value in values {
            guard let text = value.string, !Self.isDecoded(text, hasTime: format == "date-time") else {
                continue
            }
            sink.warn(
                .unsupportedSchema,
                "\"\(SwiftText.oneLine(text))\" is not a \(format) of RFC 3339; if the service sends such values, "
                    + "set \"formats: { \(format): String }\" in the configuration", at: value.position)
        }
    }

    /// Whether a text has the form of RFC 3339, section 5.6. Its numbers are not checked.
    private static func isDecoded(_ text: String, hasTime: Bool) -> Bool {
        var rest = Array(text.utf8)[...]
        func take(_ form: String) -> Bool {
            guard rest.count >= form.utf8.count else { return false }
            for (byte, mark) in zip(rest, form.utf8) {
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                guard mark == UInt8(ascii: "0") ? isDigit : byte == mark else { return false }
            }
            rest = rest.dropFirst(form.utf8.count)
            return true
        }
        guard take("0000-00-00") else { return false }
        guard hasTime else { return rest.isEmpty }
        guard take("T") || take("t") || take(" "), take("00:00:00") else { return false }
        if take(".") {
            guard take("0") else { return false }
            while take("0") {}
        }
        guard take("Z") || take("z") || ((take("+") || take("-")) && take("00:00")) else { return false }
        return rest.isEmpty
    }
}
