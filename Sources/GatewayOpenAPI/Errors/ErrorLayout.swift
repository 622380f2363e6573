/// A type without stored properties that makes the layout of ``APIError`` depend on its parameter: a workaround for a
/// bug in Swift 6.3.1.
public protocol ErrorLayout: Sendable {
    /// Creates the only value.
    init()
}

/// The layout of all documented failures.
public struct EmptyErrorLayout: ErrorLayout {
    /// Creates the only value.
    public init() {}
}
