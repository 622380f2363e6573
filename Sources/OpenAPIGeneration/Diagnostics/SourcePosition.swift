/// A place in a document. Lines and columns count from 1; a column counts Unicode scalars.
package struct SourcePosition: Hashable, Sendable, Comparable {
    /// The line, from 1.
    package var line: UInt32
    /// The column, from 1, in Unicode scalars.
    package var column: UInt32

    /// A place. Values below 1 are taken as they are.
    package init(line: Int, column: Int) {
        self.line = UInt32(clamping: line)
        self.column = UInt32(clamping: column)
    }

    /// The first character.
    package static let start = SourcePosition(line: 1, column: 1)

    package static func < (lhs: SourcePosition, rhs: SourcePosition) -> Bool {
        lhs.line == rhs.line ? lhs.column < rhs.column : lhs.line < rhs.line
    }
}
