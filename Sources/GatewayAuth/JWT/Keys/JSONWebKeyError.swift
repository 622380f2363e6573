/// Why a JSON Web Key cannot be used. It contains no part of the key.
public struct JSONWebKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. Codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The stable name of the code.
        public var description: String { name }

        /// The JSON is not a valid JSON Web Key: not an object, or a member is missing, has the wrong type or is
        /// malformed.
        public static let malformed = Code("malformed")
        /// The key type, curve or algorithm is not supported.
        public static let unsupported = Code("unsupported")
        /// The key is not for verifying signatures (`use`, `key_ops`).
        public static let notForVerifying = Code("not_for_verifying")
        /// The key is too weak, not on its curve, or does not match its algorithm.
        public static let unsuitable = Code("unsuitable")
        /// A published key set contains a private key or a shared secret.
        public static let notPublic = Code("not_public")
    }

    /// The kind of error.
    public let code: Code
    /// A message for engineers.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
