/// Why a JSON Web Key cannot be used. It holds nothing of the key.
public struct JSONWebKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. The set may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// What may be printed.
        public var description: String { name }

        /// It is no JSON Web Key: no object, a member missing, of the wrong type or not in its form.
        public static let malformed = Code("malformed")
        /// The type, curve or algorithm is none that is supported.
        public static let unsupported = Code("unsupported")
        /// The key is for something else than verifying signatures (`use`, `key_ops`).
        public static let notForVerifying = Code("not_for_verifying")
        /// The key is too weak, not on its curve, or does not suit its algorithm.
        public static let unsuitable = Code("unsuitable")
        /// A private key or a shared secret stands where everybody can read it.
        public static let notPublic = Code("not_public")
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
