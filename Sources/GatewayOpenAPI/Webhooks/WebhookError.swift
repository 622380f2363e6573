public import GatewayJSON

/// Why a webhook was rejected: it is not authentic, or it does not match the document.
///
/// It contains no secret, no signature and no part of the body. Respond with 400 or 401 to a webhook that is not
/// authentic, and ignore its content.
public struct WebhookError: Error, Sendable, CustomStringConvertible {
    /// The kind of error. It is stable; ``message`` may change. Codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name of the code.
        public let name: String

        init(_ name: String) { self.name = name }

        /// The name.
        public var description: String { name }

        /// There is no secret, or a secret is not Base64 of 24 to 64 bytes.
        public static let secretUnusable = Code("secret_unusable")
        /// A header field is missing.
        public static let headerMissing = Code("header_missing")
        /// A header field is duplicated or malformed.
        public static let headerMalformed = Code("header_malformed")
        /// The timestamp is older than the tolerance allows: the webhook may be a replay.
        public static let tooOld = Code("too_old")
        /// The timestamp is further in the future than the tolerance allows.
        public static let tooNew = Code("too_new")
        /// No signature matches a configured secret.
        public static let signatureMismatch = Code("signature_mismatch")
        /// The body does not match the document; ``WebhookError/json`` has the details.
        public static let undecodable = Code("undecodable")
        /// The document has no webhook with this name.
        public static let unknownName = Code("unknown_name")
    }

    /// The kind of error.
    public let code: Code
    /// A message for engineers.
    public let message: String
    /// The name of the header field with the error, if any.
    public let field: String?
    /// The mismatch in the body with its path, for the code `undecodable`.
    public let json: JSONError?

    init(_ code: Code, _ message: String, field: String? = nil, json: JSONError? = nil) {
        self.code = code
        self.message = message
        self.field = field
        self.json = json
    }

    static func undecodable(_ error: JSONError) -> WebhookError {
        WebhookError(.undecodable, "The body does not match the document: \(error)", json: error)
    }

    /// Whether the request is not authentic, as opposed to one that cannot be decoded or verified.
    public var isForged: Bool {
        switch code {
        case .secretUnusable, .undecodable, .unknownName: false
        default: true
        }
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
