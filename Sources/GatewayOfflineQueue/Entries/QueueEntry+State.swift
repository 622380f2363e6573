extension QueueEntry {
    /// The state of an entry.
    public struct State: Hashable, Sendable, CustomStringConvertible {
        /// The number in the file.
        package let rawValue: UInt8
        /// The name in logs and metrics.
        public let name: String

        private init(_ rawValue: UInt8, _ name: String) {
            self.rawValue = rawValue
            self.name = name
        }

        /// To be sent as soon as possible. Becomes leased, parked, ambiguous, expired, cancelled, superseded or
        /// dropped.
        public static let waiting = State(0, "waiting")
        /// To be sent again later. Becomes waiting when it is due; else as ``waiting``.
        public static let postponed = State(1, "postponed")
        /// An attempt is in progress. Becomes done, postponed, waiting, parked, poison or ambiguous.
        public static let leased = State(5, "leased")
        /// Its account has to sign in again. Becomes waiting by a resume; else as ``waiting``.
        public static let parked = State(2, "parked")
        /// The server may have received it and may no longer know its idempotency key: it is not sent again
        /// automatically. Becomes waiting by a retry, or cancelled.
        public static let ambiguous = State(3, "ambiguous")
        /// It can never succeed. Becomes waiting by a retry, or cancelled.
        public static let poison = State(4, "poison")
        /// The server has accepted it. Final.
        public static let done = State(6, "done")
        /// Its time to live ended before it was sent successfully. Final.
        public static let expired = State(7, "expired")
        /// It was cancelled. Final.
        public static let cancelled = State(8, "cancelled")
        /// A later entry replaced it. Final.
        public static let superseded = State(9, "superseded")
        /// It was dropped for a later entry because of a limit. Final.
        public static let dropped = State(10, "dropped")

        /// All states, by their numbers in the file.
        public static let all: [State] = [
            .waiting, .postponed, .parked, .ambiguous, .poison, .leased, .done, .expired, .cancelled,
            .superseded,
            .dropped,
        ]

        /// The state with a number of a file.
        package init?(rawValue: Int64) {
            guard let index = Int(exactly: rawValue), Self.all.indices.contains(index) else { return nil }
            self = Self.all[index]
        }

        /// Whether it is to be sent, and no attempt is in progress.
        public var isPending: Bool { self == .waiting || self == .postponed || self == .parked }

        /// Whether it holds back later entries of its ordering key, and counts for the limits.
        public var isActive: Bool { rawValue <= Self.leased.rawValue && self != .poison }

        /// Whether it never changes again.
        public var isFinal: Bool { rawValue >= Self.done.rawValue }

        /// The name.
        public var description: String { name }
    }
}
