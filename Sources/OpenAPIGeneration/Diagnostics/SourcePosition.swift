/// A place in a document. Lines and columns count from 1; a column counts Unicode scalars.
package struct SourcePosition: Hashable, Sendable, Comparable {
    /// The file, as an index into `Generator.Output.sources`; 0 is the document itself.
    package var file: UInt32
    /// The line, from 1.
    package var line: UInt32
    /// The column, from 1, in Unicode scalars.
    package var column: UInt32

    /// Creates a position. Line and column are clamped to `UInt32`.
    package init(line: Int, column: Int, file: UInt32 = 0) {
        self.file = file
        self.line = UInt32(clamping: line)
        self.column = UInt32(clamping: column)
    }

    /// The first character of the document.
    package static let start = SourcePosition(line: 1, column: 1)

    /// The first character of a file.
    package static func start(of file: UInt32) -> SourcePosition {
        SourcePosition(line: 1, column: 1, file: file)
    }

    package static func < (lhs: SourcePosition, rhs: SourcePosition) -> Bool {
        (lhs.file, lhs.line, lhs.column) < (rhs.file, rhs.line, rhs.column)
    }
}
