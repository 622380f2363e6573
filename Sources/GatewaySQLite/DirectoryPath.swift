extension String {
    /// The directory of the file that a path names, with its slash; `.` for a path without one.
    package var directoryPath: String {
        // By bytes: a character can begin with a slash and go on with an accent.
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[...$0]) } ?? "."
    }
}
