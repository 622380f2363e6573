/// A type whose description is a summary without its stored values.
///
/// Conform if a stored value can be secret: a token, a header value, a query, a body, or a value of a custom type.
/// `print`, `dump`, string interpolation and mirrors then show only ``description``.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// Default: the name of the type.
    public var description: String { String(reflecting: Self.self) }
    /// The same as the description.
    public var debugDescription: String { description }
    /// No children, so that values cannot be read by reflection.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
