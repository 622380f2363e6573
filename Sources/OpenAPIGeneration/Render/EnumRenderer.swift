/// Writes an open enum: values that the document does not define are kept.
struct EnumRenderer {
    let enumeration: EnumerationDeclaration
    /// The case names of the values, in the same order.
    let cases: [String]

    func render(_ name: String, into writer: inout SourceWriter) {
        let raw: String
        let literals: [String]
        switch enumeration.values {
        case .strings(let values):
            raw = "String"
            literals = values.map { SwiftText.literal($0) }
        case .integers(let values):
            raw = "Int"
            literals = values.map { String($0) }
        }
        let names = cases.map { SwiftName.escaped($0) }
        writer.openVisible("nonisolated enum \(name): OpenEnum")
        for (offset, name) in names.enumerated() {
            writer.comment(comment(offset))
            writer.line("case \(name)")
        }
        writer.line("/// A value that the document does not define.")
        writer.line("case unrecognized(\(raw))")
        writer.blank()
        writer.line("/// The values that the document defines.")
        writer.openVisible("static var knownCases: [Self]")
        writer.line("return [" + names.map { "." + $0 }.joined(separator: ", ") + "]")
        writer.close()
        writer.blank()
        writer.openVisible("init(rawValue: \(raw))")
        writer.line("switch rawValue {")
        for (name, literal) in zip(names, literals) { writer.line("case \(literal): self = .\(name)") }
        writer.line("default: self = .unrecognized(rawValue)")
        writer.line("}")
        writer.close()
        writer.blank()
        writer.openVisible("var rawValue: \(raw)")
        writer.line("switch self {")
        for (name, literal) in zip(names, literals) { writer.line("case .\(name): return \(literal)") }
        writer.line("case .unrecognized(let rawValue): return rawValue")
        writer.line("}")
        writer.close()
        writer.close()
    }

    /// The description of a value, otherwise the value.
    private func comment(_ offset: Int) -> String {
        let text = offset < enumeration.labels.count ? enumeration.labels[offset].text ?? "" : ""
        guard SwiftText.commentLines(text).isEmpty else { return text }
        switch enumeration.values {
        case .integers(let values): return "The value \(values[offset])."
        case .strings(let values):
            return SwiftText.oneLine(values[offset]).isEmpty
                ? "An empty or blank string." : "The value \(SwiftText.code(values[offset]))."
        }
    }
}
