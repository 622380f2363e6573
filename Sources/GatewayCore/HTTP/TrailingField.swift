/// A field that follows the others of a request, such as its credential.
///
/// An object, made once for many requests: a list of fields refers to it, so that a request is stamped without a copy of its
/// other fields.
package final class TrailingField: Sendable {
    /// The field.
    package let field: HTTPField

    /// Refers to a field, which must be valid.
    package init(_ name: HTTPField.Name, _ value: String) { field = HTTPField(name, value) }
}

extension TrailingField: Redacted {
    /// The name only.
    package var description: String { "\(field.name): …" }
}
