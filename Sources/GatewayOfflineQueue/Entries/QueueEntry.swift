public import GatewayCore

/// The metadata of an entry of the queue, without body, query, and values of header fields and keys.
public struct QueueEntry: Hashable, Sendable, Identifiable {
    /// Identifies an entry of a store. A later entry has a greater number; numbers are not used again.
    public struct ID: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The number, from 1.
        public let rawValue: Int64

        /// Creates an identifier.
        public init(_ rawValue: Int64) { self.rawValue = rawValue }

        /// Whether the first was enqueued earlier.
        public static func < (a: ID, b: ID) -> Bool { a.rawValue < b.rawValue }

        /// The number.
        public var description: String { "\(rawValue)" }
    }

    /// The identifier.
    public let id: ID
    /// The state.
    public var state: State
    /// The method.
    public let method: HTTPMethod
    /// The server.
    public let origin: Origin
    /// The path, without the query.
    public let path: String
    /// The size of the body in bytes.
    public let bodyBytes: Int
    /// The account on whose behalf it is sent.
    public var account: QueueAccount?
    /// The priority.
    public let priority: CallPriority
    /// When it was enqueued.
    public let created: QueueTime
    /// When it expires.
    public var expires: QueueTime
    /// The number of attempts whose sending has begun, including the current one.
    public var attempts: Int
    /// When the first attempt began that the server may have received; `nil` if the server has received nothing.
    public var firstSent: QueueTime?
    /// When a postponed entry is sent again.
    public var notBefore: QueueTime?
    /// Why the last attempt did not succeed: a status or the code of an error.
    public var reason: String?

    /// The reason of an entry that was postponed because its body temporarily cannot be read.
    static let unreadableReason = "body_unreadable"

    /// Whether it waits until its body can be read.
    package var isUnreadable: Bool { state == .postponed && reason == Self.unreadableReason }

    /// Whether it waits until the clock shows the newest time of the store: how old it is, or whether it has expired,
    /// is not known.
    package func waitsForClock(_ newest: QueueTime?, now: QueueTime) -> Bool {
        guard state == .waiting || state == .postponed, let newest, now < newest else { return false }
        return firstSent != nil || expires <= newest
    }

    init(id: ID, item: QueueItem, state: State, bodyBytes: Int? = nil) {
        self.id = id
        self.state = state
        method = item.method
        origin = item.origin
        let target = item.target
        path = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[..<$0]) } ?? target
        self.bodyBytes = bodyBytes ?? item.body.count
        account = item.account
        priority = item.priority
        created = item.created
        expires = item.expires
        attempts = 0
    }
}
