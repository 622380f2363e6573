/// Swift source being written, line by line.
struct SourceWriter {
    private(set) var text = ""
    private var indent = ""
    /// `public `, `package ` or nothing.
    let access: String

    init(access: String) {
        self.access = access
    }

    mutating func line(_ line: String) {
        text += indent
        text += line
        text += "\n"
    }

    mutating func blank() {
        text += "\n"
    }

    /// Writes a declaration with the access level.
    mutating func visible(_ line: String) {
        text += indent
        text += access
        text += line
        text += "\n"
    }

    mutating func open(_ head: String) {
        line(head + " {")
        indent += "    "
    }

    mutating func openVisible(_ head: String) {
        visible(head + " {")
        indent += "    "
    }

    /// Writes continuation lines.
    mutating func indented(_ body: (inout SourceWriter) -> Void) {
        indent += "    "
        body(&self)
        indent.removeLast(4)
    }

    mutating func close() {
        indent.removeLast(4)
        line("}")
    }

    /// Writes text of the document as a doc comment.
    mutating func comment(_ text: String) {
        for line in SwiftText.commentLines(text) { self.line(line.isEmpty ? "///" : "/// " + line) }
    }
}
