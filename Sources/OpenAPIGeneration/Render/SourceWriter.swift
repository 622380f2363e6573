/// Swift source being written, line by line.
///
/// Its methods are not inlined: hundreds of places call them, and copies of them lengthen a release build.
struct SourceWriter {
    private(set) var text = ""
    private var indent = ""
    /// `public `, `package ` or nothing.
    let access: String

    init(access: String) {
        self.access = access
    }

    /// Writes a line, on several lines if it is too long.
    @inline(never)
    mutating func line(_ line: String) {
        guard indent.utf8.count + line.utf8.count > LineWrap.limit else {
            text += indent
            text += line
            text += "\n"
            return
        }
        for part in LineWrap.lines(line, indent: indent) {
            text += part
            text += "\n"
        }
    }

    @inline(never)
    mutating func blank() {
        text += "\n"
    }

    /// Writes a declaration with the access level.
    @inline(never)
    mutating func visible(_ line: String) {
        self.line(access + line)
    }

    @inline(never)
    mutating func open(_ head: String) {
        line(head + " {")
        indent += "    "
    }

    @inline(never)
    mutating func openVisible(_ head: String) {
        visible(head + " {")
        indent += "    "
    }

    /// Writes continuation lines.
    @inline(never)
    mutating func indented(_ body: (inout SourceWriter) -> Void) {
        indent += "    "
        body(&self)
        indent.removeLast(4)
    }

    @inline(never)
    mutating func close() {
        indent.removeLast(4)
        line("}")
    }

    /// Writes text of the document as a doc comment.
    @inline(never)
    mutating func comment(_ text: String) {
        for line in SwiftText.commentLines(text) { self.line(line.isEmpty ? "///" : "/// " + line) }
    }
}
