/// The state of a ``CacheStore``'s changes when a request began.
///
/// The number is opaque: only the store that returned it interprets it.
public struct CacheGeneration: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Makes a generation.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}
