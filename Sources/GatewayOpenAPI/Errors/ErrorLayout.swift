/// Makes the layout of ``APIError`` depend on its parameter, at no cost; a way around a bug of Swift 6.3.1.
public protocol ErrorLayout: Sendable {
    /// The only value.
    init()
}

/// Nothing.
public struct EmptyErrorLayout: ErrorLayout {
    /// The only value.
    public init() {}
}
