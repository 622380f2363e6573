/// A type without stored properties that makes the layout of ``APIError`` depend on its parameter: a workaround for a bug in
/// Swift 6.3.1.
public protocol ErrorLayout: Sendable {
    /// The only value.
    init()
}

/// The layout of every documented failure.
public struct EmptyErrorLayout: ErrorLayout {
    /// The only value.
    public init() {}
}
