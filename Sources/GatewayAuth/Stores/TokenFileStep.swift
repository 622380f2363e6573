/// The steps of writing a record between which it can be interrupted.
package enum TokenFileStep: String, CaseIterable, Sendable {
    /// A part of the new record was written.
    case partWritten = "part-written"
    /// The whole record was written.
    case written
    /// The record is on disk.
    case synced
    /// The file was renamed to the record's name.
    case renamed
    /// The name is on disk.
    case directorySynced = "directory-synced"
}
