/// The last field of a request, such as its credential.
///
/// It is an object that is created once for many requests. A list of fields refers to it, so that a request is stamped
/// without copying its other fields.
package final class TrailingField: Sendable {
    /// The field.
    package let field: HTTPField

    /// Creates a field, which must be valid.
    package init(_ name: HTTPField.Name, _ value: String) { field = HTTPField(name, value) }
}

extension TrailingField: Redacted {
    /// Only the name.
    package var description: String { "\(field.name): …" }
}
