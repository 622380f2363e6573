public import GatewayCore

/// Why a token was rejected. It never contains the token or the value of a claim.
public struct JSONWebTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. Codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The stable name of the code.
        public var description: String { name }

        /// The text is not a valid token.
        public static let malformed = Code("malformed")
        /// The header has another algorithm than the key, or requires an extension that is not supported.
        public static let unsupported = Code("unsupported")
        /// The signature is invalid.
        public static let signatureInvalid = Code("signature_invalid")
        /// The token has another type than the required one.
        public static let wrongType = Code("wrong_type")
        /// A required claim is missing.
        public static let missingClaim = Code("missing_claim")
        /// The token has expired.
        public static let expired = Code("expired")
        /// The token is not valid yet.
        public static let notYetValid = Code("not_yet_valid")
        /// The token was issued too long ago.
        public static let tooOld = Code("too_old")
        /// The token has another issuer.
        public static let wrongIssuer = Code("wrong_issuer")
        /// The token has another audience.
        public static let wrongAudience = Code("wrong_audience")
        /// The issuer has no key with the identifier in the token, and the keys were fetched too recently to fetch them
        /// again.
        public static let unknownKey = Code("unknown_key")
        /// The issuer's keys could not be fetched, so the token could not be verified. See ``JSONWebTokenError/cause``.
        public static let keysUnavailable = Code("keys_unavailable")
    }

    /// The kind of error.
    public let code: Code
    /// A message for engineers.
    public let message: String
    /// Why the issuer's keys could not be fetched.
    public let cause: NetworkError.Code?

    init(_ code: Code, _ message: String, cause: NetworkError.Code? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
