/// The recovery of a damaged file: its readable rows were copied to a new file.
public struct QueueRecovery: Hashable, Sendable {
    /// The number of entries in the new file. An entry with a damaged body becomes poison when it is due.
    public let recovered: Int
    /// The number of entries that are lost; `nil` if it is not known.
    public let lost: Int?
    /// The path of the damaged file, which is kept.
    public let damagedPath: String
}
