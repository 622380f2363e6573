/// A type that prints a summary of itself and nothing that it stores.
///
/// Conform where a stored value can be a secret: a token, a header value, a query, a body, or a type of the user's own
/// that may hold one. `print`, `dump`, string interpolation and mirrors then show ``description`` alone.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// The type's name.
    public var description: String { String(reflecting: Self.self) }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Without children, so that nothing is reached by reflection.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
