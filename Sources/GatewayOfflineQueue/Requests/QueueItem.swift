public import GatewayCore

/// What an entry sends: a request that was checked, and never changes. Each attempt sends the same bytes.
public struct QueueItem: Hashable, Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The server.
    public let origin: Origin
    /// Path and query, percent-encoded.
    public let target: String
    /// The header fields, without credentials and without `Idempotency-Key`.
    public let fields: HTTPFields
    /// The body.
    public internal(set) var body: [UInt8]
    /// The value of `Idempotency-Key`.
    public let idempotencyKey: String
    /// Entries of an account with the same key are one.
    public let deduplicationKey: String?
    /// Whether it takes the place of an earlier entry with the same ``deduplicationKey``.
    public let supersedes: Bool
    /// Entries of an account with the same key are sent in their order.
    public let orderingKey: String?
    /// The account in whose name it is sent.
    public internal(set) var account: QueueAccount?
    /// The priority.
    public let priority: CallPriority
    /// When it was enqueued.
    public let created: QueueTime
    /// When it is not sent any more.
    public let expires: QueueTime
    /// How long after the first attempt it may be repeated.
    public let repeatWindow: Duration

    /// The bytes that count for limits: the body and the texts.
    public var byteCount: Int {
        var count = body.count + target.utf8.count + idempotencyKey.utf8.count
        for field in fields { count += field.name.rawName.utf8.count + field.value.utf8.count }
        return count
    }

    /// When an entry with it is not sent any more.
    ///
    /// Its time to live is that of the store's newest time while the clock is behind it: otherwise it would have expired before
    /// it is stored.
    ///
    /// - Parameters:
    ///   - now: the wall clock's now.
    ///   - newest: the newest time that the store has seen.
    func expiry(storedAt now: QueueTime, newest: QueueTime) -> QueueTime {
        now < newest ? max(expires, newest.adding(expires.since(created))) : expires
    }

    /// The request of an attempt, without a credential.
    public var request: HTTPRequest {
        var fields = fields
        fields[.idempotencyKey] = idempotencyKey
        return HTTPRequest(
            method: method, origin: origin, target: target, fields: fields,
            body: body.isEmpty ? .empty : .bytes(body))
    }

    init(
        method: HTTPMethod, origin: Origin, target: String, fields: HTTPFields, body: [UInt8],
        idempotencyKey: String, deduplicationKey: String?, supersedes: Bool, orderingKey: String?,
        account: QueueAccount?, priority: CallPriority, created: QueueTime, expires: QueueTime,
        repeatWindow: Duration
    ) {
        self.method = method
        self.origin = origin
        self.target = target
        self.fields = fields
        self.body = body
        self.idempotencyKey = idempotencyKey
        self.deduplicationKey = deduplicationKey
        self.supersedes = supersedes
        self.orderingKey = orderingKey
        self.account = account
        self.priority = priority
        self.created = created
        self.expires = expires
        self.repeatWindow = repeatWindow
    }
}

extension QueueItem: Redacted {
    /// Method, origin and path: no query, header values, keys or body.
    public var description: String { "\(method) \(origin)\(target.prefix { $0 != "?" })" }
}
