public import GatewayCore

/// Why a request was not sent: a value in it violates a constraint of the document (JSON Schema 2020-12, Validation,
/// section 6).
///
/// It is the `underlying` error of a ``APIError/Failure/failed(_:)`` call with the code `constraint_violated`. It names
/// places and bounds, never the value, which may be secret.
public struct ConstraintViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The keyword of a constraint. It is the contract; the ``description`` may change.
    public struct Constraint: Hashable, Sendable, CustomStringConvertible {
        /// The keyword of JSON Schema.
        public let name: String

        init(_ name: String) { self.name = name }

        /// The keyword.
        public var description: String { name }

        /// Fewer characters than this; characters are Unicode's scalar values.
        public static let minLength = Constraint("minLength")
        /// More characters than this.
        public static let maxLength = Constraint("maxLength")
        /// No part of the text matches this pattern.
        public static let pattern = Constraint("pattern")
        /// Less than this.
        public static let minimum = Constraint("minimum")
        /// More than this.
        public static let maximum = Constraint("maximum")
        /// Not more than this.
        public static let exclusiveMinimum = Constraint("exclusiveMinimum")
        /// Not less than this.
        public static let exclusiveMaximum = Constraint("exclusiveMaximum")
        /// Not a multiple of this.
        public static let multipleOf = Constraint("multipleOf")
        /// Fewer elements than this.
        public static let minItems = Constraint("minItems")
        /// More elements than this.
        public static let maxItems = Constraint("maxItems")
        /// Two elements are equal.
        public static let uniqueItems = Constraint("uniqueItems")
        /// Fewer members than this.
        public static let minProperties = Constraint("minProperties")
        /// More members than this.
        public static let maxProperties = Constraint("maxProperties")
        /// None of the values that the document lists.
        public static let oneOfTheValues = Constraint("enum")
        /// No branch of a `oneOf` or `anyOf` matches.
        public static let anyOf = Constraint("anyOf")
    }

    /// The part of the request: `body`, or a parameter such as `query limit`.
    public let subject: String
    /// The path in that part, such as `$.items[3].price`; `$` is the whole. Members that the document does not name have their
    /// position: `$.labels[#0]`. At most 400 bytes.
    public let path: String
    /// The constraint that is violated.
    public let constraint: Constraint
    /// The bound as the document writes it; empty for constraints without one.
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
