/// An error of an offline queue.
public struct QueueError: Error, Hashable, Sendable {
    /// The kind of an error.
    public struct Code: Hashable, Sendable {
        /// The name in logs and metrics.
        public let name: String

        private init(_ name: String) { self.name = name }

        /// The request or the configuration is invalid: ``QueueError/property`` names the invalid value.
        public static let invalid = Code("invalid")
        /// The limit of entries or bytes is reached, or the disk is full.
        public static let full = Code("full")
        /// Another entry has the same idempotency key and another request; see ``QueueError/entry``.
        public static let conflict = Code("conflict")
        /// The file cannot be read or written.
        public static let unavailable = Code("unavailable")
        /// The file is or was damaged, and an entry is not among the readable ones.
        public static let corrupt = Code("corrupt")
        /// The file was written by a later version or by another program.
        public static let unsupportedVersion = Code("unsupported_version")
        /// Another program has removed, replaced, truncated or linked the file. The queue continues with the current
        /// file.
        public static let changed = Code("changed")
        /// The directory of the file was removed with the entries, or the path names something that is not a
        /// file. The queue continues when the file exists again.
        public static let lost = Code("lost")
        /// There is no such entry.
        public static let notFound = Code("not_found")
        /// The queue was stopped.
        public static let stopped = Code("stopped")
        /// The task was cancelled. What was stored remains.
        public static let cancelled = Code("cancelled")

        /// Whether the error means that no entry is readable.
        var losesEntries: Bool { self == .lost || self == .corrupt || self == .unsupportedVersion }
    }

    /// The kind.
    public let code: Code
    /// What is wrong, and what to do. It contains no values of requests.
    public let message: String
    /// The invalid property, such as `timeToLive`; `nil` for codes other than ``Code/invalid`` and
    /// ``Code/conflict``.
    public let property: String?
    /// The entry that the request conflicts with; `nil` for codes other than ``Code/conflict``.
    public let entry: QueueEntry.ID?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, property: String? = nil, entry: QueueEntry.ID? = nil
    ) {
        self.code = code
        self.message = message
        self.property = property
        self.entry = entry
    }

    static func invalid(_ property: String, _ message: String) -> QueueError {
        QueueError(.invalid, "\(property): \(message)", property: property)
    }
}

extension QueueError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code.name): \(message)" }
}
