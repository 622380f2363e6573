public import GatewayCore

/// A request that an offline queue stores, and sends when possible.
///
/// ```swift
/// let payment = QueueRequest(try HTTPRequest(.post, "https://api.example.com/payments", body: .bytes(json)))
/// let ticket = try await queue.enqueue(payment)
/// ```
/// Each attempt sends the same bytes and the same idempotency key.
public protocol QueueableRequest: Sendable {
    /// The request. Its body must be in memory, and it must have no credential: the engine adds it to each
    /// attempt.
    func httpRequest() throws(NetworkError) -> HTTPRequest
    /// The value of `Idempotency-Key`, by which the server detects a repeated request: 1 to 255 bytes of
    /// printable ASCII. `nil`, the default, for a random one. A request with the key of an earlier one and
    /// another method, path or body is rejected.
    var idempotencyKey: String? { get }
    /// How long the request may be sent after it was enqueued: more than zero, at most 30 days. Defaults to
    /// 24 h.
    var timeToLive: Duration { get }
    /// How long the server remembers the idempotency key after the first attempt. A request that may have
    /// been sent is not sent again after that time: it becomes ``QueueEntry/State-swift.struct/ambiguous``.
    /// Defaults to 23 h; some services remember keys for only 30 minutes.
    var repeatWindow: Duration { get }
    /// The priority among the entries.
    var priority: CallPriority { get }
    /// A later request with the same key is not stored while the earlier entry waits. While that is being
    /// sent, the later one is stored too. At most 255 bytes.
    var deduplicationKey: String? { get }
    /// Whether a later request with the same ``deduplicationKey`` replaces the earlier entry, instead of
    /// being ignored.
    var supersedes: Bool { get }
    /// Entries with the same key are sent one after the other, in the order in which they were enqueued. At
    /// most 255 bytes.
    var orderingKey: String? { get }
    /// The account on whose behalf it is sent; `nil` for the default account of the configuration, or for none if
    /// ``isAnonymous``.
    var account: QueueAccount? { get }
    /// Whether it is sent without a credential, even if the queue or its engine has one. Without an ``account`` it does not
    /// wait for a sign-in.
    var isAnonymous: Bool { get }
    /// The operation, for events and metrics. It is not stored if its ID and template are longer than 2,048
    /// bytes.
    var operation: Operation? { get }
}

extension QueueableRequest {
    /// A random key.
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
    /// `false`.
    public var isAnonymous: Bool { false }
    /// None.
    public var operation: Operation? { nil }
}

/// A request with the settings of its entry.
public struct QueueRequest: QueueableRequest {
    /// The request.
    public var request: HTTPRequest
    /// The value of `Idempotency-Key`; `nil` for a random one.
    public var idempotencyKey: String?
    /// How long the request may be sent after it was enqueued.
    public var timeToLive: Duration
    /// How long the server remembers the idempotency key.
    public var repeatWindow: Duration
    /// The priority among the entries.
    public var priority: CallPriority
    /// Entries with the same key are deduplicated.
    public var deduplicationKey: String?
    /// Whether it replaces an earlier entry with the same key.
    public var supersedes: Bool
    /// Entries with the same key are sent in order.
    public var orderingKey: String?
    /// The account on whose behalf it is sent.
    public var account: QueueAccount?
    /// Whether it is sent without a credential.
    public var isAnonymous: Bool
    /// The operation, for events and metrics.
    public var operation: Operation?

    /// Creates a request with the defaults of ``QueueableRequest``.
    public init(
        _ request: HTTPRequest, idempotencyKey: String? = nil, timeToLive: Duration = .seconds(24 * 3_600),
        repeatWindow: Duration = .seconds(23 * 3_600), priority: CallPriority = .normal,
        deduplicationKey: String? = nil, supersedes: Bool = false, orderingKey: String? = nil,
        account: QueueAccount? = nil, isAnonymous: Bool = false, operation: Operation? = nil
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
        self.isAnonymous = isAnonymous
        self.operation = operation
    }

    /// The request.
    public func httpRequest() throws(NetworkError) -> HTTPRequest { request }
}
