/// A part of generated code that is written on a line.
protocol SwiftNode {
    func write(to line: inout Line)
}

extension SwiftNode {
    /// The code on one line of any length. Without a namespace, type names are not qualified.
    func text(in namespace: String? = nil) -> String {
        var line = Line(namespace: namespace.map { $0 + "." } ?? "")
        write(to: &line)
        return line.text
    }
}
