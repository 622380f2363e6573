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

    /// A declaration that others see.
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

    /// Lines that belong to the one before.
    mutating func indented(_ body: (inout SourceWriter) -> Void) {
        indent += "    "
        body(&self)
        indent.removeLast(4)
    }

    mutating func close() {
        indent.removeLast(4)
        line("}")
    }

    /// Text of the document, as documentation.
    mutating func comment(_ text: String) {
        for line in SwiftText.commentLines(text) { self.line(line.isEmpty ? "///" : "/// " + line) }
    }
}
