/// What a document may ask of whoever parses it.
public struct JSONLimits: Hashable, Sendable {
    /// How deep arrays and objects may be nested. More than any API needs, and far from exhausting anything.
    public var depth = 256

    /// How many bytes a document may have; never more than 2 GiB.
    public var bytes = 256 << 20

    /// The default limits.
    public init() {}

    /// Limits of your own.
    ///
    /// - Parameters:
    ///   - depth: How deep arrays and objects may be nested.
    ///   - bytes: How many bytes a document may have; never more than 2 GiB.
    public init(depth: Int, bytes: Int) {
        self.depth = depth
        self.bytes = bytes
    }
}
