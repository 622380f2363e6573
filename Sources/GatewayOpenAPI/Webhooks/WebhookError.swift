public import GatewayJSON

/// Why a webhook was not taken: it cannot be trusted, or is not what the document says.
///
/// It holds no secret, no signature and nothing of the body. Answer what cannot be trusted with 400 or 401, and do
/// nothing else with it.
public struct WebhookError: Error, Sendable, CustomStringConvertible {
    /// What is wrong; the contract, where ``message`` is only for people. The set may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name of the code.
        public let name: String

        init(_ name: String) { self.name = name }

        /// The name.
        public var description: String { name }

        /// A secret is no signing secret: it is not base64, or not 24 to 64 bytes long.
        public static let secretUnusable = Code("secret_unusable")
        /// A header field is absent.
        public static let headerMissing = Code("header_missing")
        /// A header field occurs twice, or is not in its form.
        public static let headerMalformed = Code("header_malformed")
        /// It was sent longer ago than is allowed: it may be a replay.
        public static let tooOld = Code("too_old")
        /// It says that it was sent later than now.
        public static let tooNew = Code("too_new")
        /// No signature is by a secret that is known.
        public static let signatureMismatch = Code("signature_mismatch")
        /// The body is not what the document says; ``WebhookError/json`` tells the place.
        public static let undecodable = Code("undecodable")
        /// The document has no webhook of this name.
        public static let unknownName = Code("unknown_name")
    }

    /// What is wrong.
    public let code: Code
    /// A sentence for the engineer.
    public let message: String
    /// The name of the header field in question.
    public let field: String?
    /// What the body lacks, with its path.
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

    /// Whether the request is not to be trusted, which is another matter than one that cannot be read.
    public var isForged: Bool {
        switch code {
        case .secretUnusable, .undecodable, .unknownName: false
        default: true
        }
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
