/// What became of a damaged file: the rows that could be read are in a new one.
public struct QueueRecovery: Hashable, Sendable {
    /// The number of entries that are in the new file. An entry whose body is damaged is set aside as poison when it is its
    /// turn.
    public let recovered: Int
    /// The number of entries that are lost; `nil` if it is not known.
    public let lost: Int?
    /// The path of the damaged file, which is kept.
    public let damagedPath: String
}
