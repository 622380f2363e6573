public import GatewayCore

/// Why a request was not sent: a value in it breaks what the document says of it (JSON Schema 2020-12, Validation,
/// section 6).
///
/// It is the `underlying` error of an ``APIError/cause`` with the code `constraint_violated`. It names places and bounds,
/// never the value, which may be secret.
public struct ConstraintViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// A keyword that a value has to keep; the contract, where ``description`` is only for people.
    public struct Constraint: Hashable, Sendable, CustomStringConvertible {
        /// The keyword, as JSON Schema has it.
        public let name: String

        init(_ name: String) { self.name = name }

        /// The keyword.
        public var description: String { name }

        /// Fewer characters than this; characters are Unicode's scalar values.
        public static let minLength = Constraint("minLength")
        /// More characters than this.
        public static let maxLength = Constraint("maxLength")
        /// No part of the text is of this pattern.
        public static let pattern = Constraint("pattern")
        /// Less than this.
        public static let minimum = Constraint("minimum")
        /// More than this.
        public static let maximum = Constraint("maximum")
        /// Not more than this.
        public static let exclusiveMinimum = Constraint("exclusiveMinimum")
        /// Not less than this.
        public static let exclusiveMaximum = Constraint("exclusiveMaximum")
        /// No multiple of this.
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
        /// None of the branches of a `oneOf` or `anyOf` takes it.
        public static let anyOf = Constraint("anyOf")
    }

    /// What breaks it: `body`, or the parameter, `query limit`.
    public let subject: String
    /// Where in it, `$.items[3].price` say; `$` is the whole.
    public let path: String
    /// What is broken.
    public let constraint: Constraint
    /// The bound as the document writes it; empty where there is none to name.
    public let bound: String

    /// Subject, place, keyword and bound.
    public var description: String {
        "\(subject), \(path): \(constraint)" + (bound.isEmpty ? "" : " \(bound)")
    }
}

extension NetworkError {
    /// A value of the request breaks what the document says of it; nothing was sent. `underlying` is a
    /// ``ConstraintViolation``.
    public static let constraintViolated = Code("constraint_violated", category: .permanent)
}

extension NetworkError.Code {
    /// A value of the request breaks what the document says of it; nothing was sent.
    public static var constraintViolated: Self { NetworkError.constraintViolated }
}
