public import GatewayCore

/// A value in a request violates a constraint of the document (JSON Schema 2020-12, Validation, section 6). The request
/// was not sent.
///
/// It is the `underlying` error of a ``APIError/Failure/failed(_:)`` call with the code `constraint_violated`. It
/// contains paths and bounds, but never the value, which may be secret.
public struct ConstraintViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The keyword of a constraint. The keyword is stable; the ``description`` may change.
    public struct Constraint: Hashable, Sendable, CustomStringConvertible {
        /// The keyword in JSON Schema.
        public let name: String

        init(_ name: String) { self.name = name }

        /// The keyword.
        public var description: String { name }

        /// Fewer characters than the bound. Characters are Unicode scalar values.
        public static let minLength = Constraint("minLength")
        /// More characters than the bound.
        public static let maxLength = Constraint("maxLength")
        /// No part of the text matches the pattern.
        public static let pattern = Constraint("pattern")
        /// Less than the bound.
        public static let minimum = Constraint("minimum")
        /// Greater than the bound.
        public static let maximum = Constraint("maximum")
        /// Less than or equal to the bound.
        public static let exclusiveMinimum = Constraint("exclusiveMinimum")
        /// Greater than or equal to the bound.
        public static let exclusiveMaximum = Constraint("exclusiveMaximum")
        /// Not a multiple of the bound.
        public static let multipleOf = Constraint("multipleOf")
        /// Fewer elements than the bound.
        public static let minItems = Constraint("minItems")
        /// More elements than the bound.
        public static let maxItems = Constraint("maxItems")
        /// Two elements are equal.
        public static let uniqueItems = Constraint("uniqueItems")
        /// Fewer members than the bound.
        public static let minProperties = Constraint("minProperties")
        /// More members than the bound.
        public static let maxProperties = Constraint("maxProperties")
        /// Not one of the values in the document's `enum`.
        public static let oneOfTheValues = Constraint("enum")
        /// Not of a JSON type of a conditional schema.
        public static let type = Constraint("type")
        /// A member is missing that the schema requires and the generated type does not, or that a conditional schema
        /// requires.
        public static let required = Constraint("required")
        /// The value matches a schema that it must not match.
        public static let not = Constraint("not")
        /// No element matches the schema.
        public static let contains = Constraint("contains")
        /// The name of a member does not match the schema.
        public static let propertyNames = Constraint("propertyNames")
        /// Fewer elements match the schema than the bound.
        public static let minContains = Constraint("minContains")
        /// More elements match the schema than the bound.
        public static let maxContains = Constraint("maxContains")
        /// The value matches no branch, or several, of a `oneOf` whose branches only restrict it, such as by `required`.
        public static let oneOf = Constraint("oneOf")
        /// The value matches no branch of a `oneOf` or `anyOf`.
        public static let anyOf = Constraint("anyOf")
    }

    /// The part of the request: `body`, or the location and name of a parameter, such as `query limit`.
    public let subject: String
    /// The path in that part, such as `$.items[3].price`; `$` is the whole value. Members that the document does not
    /// define are shown by position: `$.labels[#0]`. At most 400 bytes.
    public let path: String
    /// The violated constraint.
    public let constraint: Constraint
    /// The bound as written in the document; empty for constraints without a bound.
    public let bound: String

    /// Subject, path, keyword and bound.
    public var description: String {
        "\(subject), \(path): \(constraint)" + (bound.isEmpty ? "" : " \(bound)")
    }
}

extension NetworkError {
    /// A value of the request violates a constraint of the document; nothing was sent. `underlying` is a
    /// ``ConstraintViolation``.
    public static let constraintViolated = Code(
        "constraint_violated", category: .permanent, guidance: .correctRequest)
}

extension NetworkError.Code {
    /// A value of the request violates a constraint of the document; nothing was sent.
    public static var constraintViolated: Self { NetworkError.constraintViolated }
}
