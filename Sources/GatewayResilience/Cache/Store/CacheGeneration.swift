/// How far the changes of a ``CacheStore`` had come when a request began.
///
/// What a number means is known to the store that gave it alone.
public struct CacheGeneration: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Makes a generation.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}
