/// Where the writing of a record can be interrupted.
package enum TokenFileStep: String, CaseIterable, Sendable {
    /// A part of the new record is in its file.
    case partWritten = "part-written"
    /// All of it is.
    case written
    /// It is on disk.
    case synced
    /// It has the record's name.
    case renamed
    /// The name is on disk.
    case directorySynced = "directory-synced"
}
