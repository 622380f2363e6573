public import GatewayCore

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
        /// The token is of another kind than the one asked for.
        public static let wrongType = Code("wrong_type")
        /// A claim that is needed is missing.
        public static let missingClaim = Code("missing_claim")
        /// The token has ended.
        public static let expired = Code("expired")
        /// The token may not be used yet.
        public static let notYetValid = Code("not_yet_valid")
        /// The token was issued too long ago.
        public static let tooOld = Code("too_old")
        /// The token comes from another issuer.
        public static let wrongIssuer = Code("wrong_issuer")
        /// The token is meant for somebody else.
        public static let wrongAudience = Code("wrong_audience")
        /// None of the issuer's keys is the one that the token names, and it is too early to ask for newer ones.
        public static let unknownKey = Code("unknown_key")
        /// The issuer's keys could not be had: the token may be good or not. See ``JSONWebTokenError/cause``.
        public static let keysUnavailable = Code("keys_unavailable")
    }

    /// What is wrong.
    public let code: Code
    /// A sentence for the engineer.
    public let message: String
    /// Why the issuer's keys could not be had.
    public let cause: NetworkError.Code?

    init(_ code: Code, _ message: String, cause: NetworkError.Code? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
