public import GatewayCore

/// A request that an offline queue stores, and sends when it can.
///
/// ```swift
/// let payment = QueueRequest(try HTTPRequest(.post, "https://api.example.com/payments", body: .bytes(json)))
/// let ticket = try await queue.enqueue(payment)
/// ```
/// Each attempt sends the same bytes and the same idempotency key.
public protocol QueueableRequest: Sendable {
    /// The request. Its body is in memory, and it has no credential: the engine stamps each attempt.
    func httpRequest() throws(NetworkError) -> HTTPRequest
    /// The value of `Idempotency-Key`, by which the server knows a repeated request: 1 to 255 bytes of printable ASCII.
    /// `nil`, the default, for a random one. A request with the key of another one, and another method, path or body,
    /// is refused.
    var idempotencyKey: String? { get }
    /// How long the request is worth sending: more than zero, at most 30 days. 24 h by default.
    var timeToLive: Duration { get }
    /// How long the server remembers the idempotency key after the first attempt. A request that may have been sent is
    /// not sent again after that time: it becomes ``QueueEntry/State-swift.struct/ambiguous``. 23 h by default; some
    /// services remember for 30 minutes only.
    var repeatWindow: Duration { get }
    /// The priority among the entries.
    var priority: CallPriority { get }
    /// A later entry with the same key is not stored while the earlier one waits. While the earlier one is being sent,
    /// the later one is stored as well. At most 255 bytes.
    var deduplicationKey: String? { get }
    /// Whether the later one of two with the same ``deduplicationKey`` is kept, and not the earlier one.
    var supersedes: Bool { get }
    /// Entries with the same key are sent one after the other, in the order in which they were added. At most 255
    /// bytes.
    var orderingKey: String? { get }
    /// The account in whose name it is sent; `nil` for requests without a credential.
    var account: QueueAccount? { get }
    /// The operation, for events and metrics. One whose ID and template are longer than 2,048 bytes is not stored.
    var operation: Operation? { get }
}

extension QueueableRequest {
    /// A random one.
    public var idempotencyKey: String? { nil }
    /// 24 h.
    public var timeToLive: Duration { .seconds(24 * 3_600) }
    /// 23 h.
    public var repeatWindow: Duration { .seconds(23 * 3_600) }
    /// ``GatewayCore/CallPriority/normal``.
    public var priority: CallPriority { .normal }
    /// None.
    public var deduplicationKey: String? { nil }
    /// `false`.
    public var supersedes: Bool { false }
    /// None.
    public var orderingKey: String? { nil }
    /// None.
    public var account: QueueAccount? { nil }
    /// None.
    public var operation: Operation? { nil }
}

/// A request with the settings of its entry.
public struct QueueRequest: QueueableRequest {
    /// The request.
    public var request: HTTPRequest
    /// The value of `Idempotency-Key`; `nil` for a random one.
    public var idempotencyKey: String?
    /// How long the request is worth sending.
    public var timeToLive: Duration
    /// How long the server remembers the idempotency key.
    public var repeatWindow: Duration
    /// The priority among the entries.
    public var priority: CallPriority
    /// Entries with the same key are one.
    public var deduplicationKey: String?
    /// Whether it takes the place of an earlier entry with the same key.
    public var supersedes: Bool
    /// Entries with the same key are sent in their order.
    public var orderingKey: String?
    /// The account in whose name it is sent.
    public var account: QueueAccount?
    /// The operation, for events and metrics.
    public var operation: Operation?

    /// Creates a request with the defaults of ``QueueableRequest``.
    public init(
        _ request: HTTPRequest, idempotencyKey: String? = nil, timeToLive: Duration = .seconds(24 * 3_600),
        repeatWindow: Duration = .seconds(23 * 3_600), priority: CallPriority = .normal,
        deduplicationKey: String? = nil, supersedes: Bool = false, orderingKey: String? = nil,
        account: QueueAccount? = nil, operation: Operation? = nil
    ) {
        self.request = request
        self.idempotencyKey = idempotencyKey
        self.timeToLive = timeToLive
        self.repeatWindow = repeatWindow
        self.priority = priority
        self.deduplicationKey = deduplicationKey
        self.supersedes = supersedes
        self.orderingKey = orderingKey
        self.account = account
        self.operation = operation
    }

    /// The request.
    public func httpRequest() throws(NetworkError) -> HTTPRequest { request }
}
