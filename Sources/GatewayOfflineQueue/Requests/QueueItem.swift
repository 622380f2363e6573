public import GatewayCore

/// The validated request of an entry, which never changes. Each attempt sends the same bytes.
public struct QueueItem: Hashable, Sendable {
    struct Values: Hashable, Sendable {
        let method: HTTPMethod
        let origin: Origin
        var target: String
        var fields: HTTPFields
        var body: [UInt8]
        let idempotencyKey: String
        var deduplicationKey: String?
        var supersedes: Bool
        var orderingKey: String?
        var account: QueueAccount?
        let isAnonymous: Bool
        let priority: CallPriority
        let created: QueueTime
        var expires: QueueTime
        var repeatWindow: Duration
        var operation: Operation?
    }

    /// On the heap, because an item is passed through many layers.
    var values: CopyOnWrite<Values>

    /// The method.
    public var method: HTTPMethod { values.value.method }
    /// The server.
    public var origin: Origin { values.value.origin }
    /// Path and query, percent-encoded.
    public var target: String { values.value.target }
    /// The header fields, without credentials and without `Idempotency-Key`.
    public var fields: HTTPFields { values.value.fields }
    /// The body.
    public internal(set) var body: [UInt8] {
        get { values.value.body }
        set { values.value.body = newValue }
    }
    /// The value of `Idempotency-Key`.
    public var idempotencyKey: String { values.value.idempotencyKey }
    /// Entries of an account with the same key are deduplicated.
    public var deduplicationKey: String? { values.value.deduplicationKey }
    /// Whether it replaces an earlier entry with the same ``deduplicationKey``.
    public var supersedes: Bool { values.value.supersedes }
    /// Entries of an account with the same key are sent in order.
    public var orderingKey: String? { values.value.orderingKey }
    /// The account on whose behalf it is sent.
    public internal(set) var account: QueueAccount? {
        get { values.value.account }
        set { values.value.account = newValue }
    }
    /// Whether it is sent without a credential.
    public var isAnonymous: Bool { values.value.isAnonymous }
    /// The priority.
    public var priority: CallPriority { values.value.priority }
    /// When it was enqueued.
    public var created: QueueTime { values.value.created }
    /// When it expires.
    public var expires: QueueTime { values.value.expires }
    /// How long after the first attempt it may be repeated.
    public var repeatWindow: Duration { values.value.repeatWindow }

    /// The operation, for events and metrics.
    public var operation: Operation? { values.value.operation }

    /// The size that counts towards the limits, in bytes: the body and the texts.
    public var byteCount: Int {
        var count = body.count + target.utf8.count + idempotencyKey.utf8.count
        for field in fields { count += field.name.rawName.utf8.count + field.value.utf8.count }
        return count
    }

    /// When its entry expires.
    ///
    /// While the clock is behind the store's newest time, its time to live starts at the newest time:
    /// otherwise it could expire before it is stored.
    ///
    /// - Parameters:
    ///   - now: the current wall-clock time.
    ///   - newest: the newest time that the store has recorded.
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

    init(_ values: Values) { self.values = CopyOnWrite(values) }

    /// Whether both send the same request.
    public static func == (a: QueueItem, b: QueueItem) -> Bool {
        a.values.isIdentical(to: b.values) || a.values.value == b.values.value
    }

    /// Hashes all of it.
    public func hash(into hasher: inout Hasher) { hasher.combine(values.value) }
}

extension QueueItem: Redacted {
    /// Method, origin and path, without query, header values, keys and body.
    public var description: String { "\(method) \(origin)\(target.prefix { $0 != "?" })" }
}
