/// Writes what a type of documented headers holds.
enum HeaderRenderer {
    static func members(_ headers: [OperationPlan.HeaderPlan], into writer: inout SourceWriter) {
        writer.visible("let fields: HTTPFields")
        writer.blank()
        writer.openVisible("init(fields: HTTPFields)")
        writer.line("self.fields = fields")
        writer.close()
        for header in headers {
            writer.blank()
            let name = SwiftText.oneLine(header.name)
            let text = header.text ?? ""
            writer.comment(SwiftText.commentLines(text).isEmpty ? "The `\(name)` header." : text)
            writer.visible("var \(header.member): \(header.type)? { return self.fields.\(header.call) }")
        }
    }
}
