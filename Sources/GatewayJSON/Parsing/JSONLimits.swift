/// The limits of a document that is parsed.
public struct JSONLimits: Hashable, Sendable {
    /// How deep arrays and objects may be nested. More than any API needs, and far from exhausting anything.
    public var depth = 256

    /// How many bytes a document may have; never more than 2 GiB.
    public var bytes = 256 << 20

    /// How many values a document may have; a member counts twice, for its name too. Each takes 8 bytes while the
    /// document is read. Ordinary JSON has a value for every 10 bytes or more; the largest API descriptions have 300,000.
    public var values = 8 << 20

    /// Whether faults of what is not read are passed over: names that repeat in nested objects, and surrogates without their pair.
    package var allowsFaultsWithin = false

    /// The default limits.
    public init() {}

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - depth: How deep arrays and objects may be nested.
    ///   - bytes: How many bytes a document may have; never more than 2 GiB.
    ///   - values: How many values a document may have, names of members included.
    public init(depth: Int = 256, bytes: Int = 256 << 20, values: Int = 8 << 20) {
        self.depth = depth
        self.bytes = bytes
        self.values = values
    }
}
