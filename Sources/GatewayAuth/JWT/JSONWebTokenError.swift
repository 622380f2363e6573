/// Why a token was refused. It never holds the token or a claim's value.
public struct JSONWebTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. The set may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// What may be printed.
        public var description: String { name }

        /// The text is no token of the form that is read.
        public static let malformed = Code("malformed")
        /// The header names another algorithm than the key's, or asks for something that is not supported.
        public static let unsupported = Code("unsupported")
        /// The signature does not fit.
        public static let signatureInvalid = Code("signature_invalid")
        /// The token has ended.
        public static let expired = Code("expired")
        /// The token may not be used yet.
        public static let notYetValid = Code("not_yet_valid")
        /// The token comes from another issuer.
        public static let wrongIssuer = Code("wrong_issuer")
        /// The token is meant for somebody else.
        public static let wrongAudience = Code("wrong_audience")
    }

    /// What is wrong.
    public let code: Code
    /// A sentence for the engineer.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
