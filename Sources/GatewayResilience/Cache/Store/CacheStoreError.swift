public import GatewayCore

/// An error of a ``CacheStore``. Calls continue without the cache.
public struct CacheStoreError: Error {
    /// The kind of the error. More codes may be added: compare with the constants, and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A stable name, for logs and metrics.
        public let name: String

        /// Makes a code, for custom stores.
        ///
        /// - Parameter name: a stable name, in lower case with underscores.
        public init(_ name: String) { self.name = name }

        /// The name.
        public var description: String { name }

        /// The store cannot be opened, read or written.
        public static let unavailable = Code("unavailable")
        /// A stored response is damaged, such as one whose checksum does not match.
        public static let corrupt = Code("corrupt")
        /// No space is left, such as on a full disk.
        public static let full = Code("full")
        /// The store was written by a later version.
        public static let unsupportedVersion = Code("unsupported_version")
        /// The partition has no durable name, and the store is durable.
        public static let refused = Code("refused")
        /// The store took longer than ``CachePolicy/storeLimit``.
        public static let timedOut = Code("timed_out")
        /// Removed responses can no longer be read, but bytes of them are left in a file, such as in the log
        /// of a database that another process reads.
        public static let notErased = Code("not_erased")
    }

    /// The kind of the error.
    public let code: Code
    /// A description for humans, without secrets.
    public let message: String
    /// The cause.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: the kind of the error.
    ///   - message: a description for humans, without secrets.
    ///   - underlying: the cause.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Lets `catch CacheStoreError.Code.full` match by code.
    public static func ~= (code: Code, error: CacheStoreError) -> Bool { error.code == code }
}

extension CacheStoreError: Redacted {
    /// `code: message`.
    public var description: String { "\(code): \(message)" }
}
