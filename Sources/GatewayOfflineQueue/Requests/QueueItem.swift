public import GatewayCore

/// What an entry sends: a request that was checked, and never changes. Each attempt sends the same bytes.
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
        let priority: CallPriority
        let created: QueueTime
        var expires: QueueTime
        var repeatWindow: Duration
        var operation: Operation?
    }

    /// On the heap: an item goes through many places until it is sent.
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
    /// Entries of an account with the same key are one.
    public var deduplicationKey: String? { values.value.deduplicationKey }
    /// Whether it takes the place of an earlier entry with the same ``deduplicationKey``.
    public var supersedes: Bool { values.value.supersedes }
    /// Entries of an account with the same key are sent in their order.
    public var orderingKey: String? { values.value.orderingKey }
    /// The account in whose name it is sent.
    public internal(set) var account: QueueAccount? {
        get { values.value.account }
        set { values.value.account = newValue }
    }
    /// The priority.
    public var priority: CallPriority { values.value.priority }
    /// When it was enqueued.
    public var created: QueueTime { values.value.created }
    /// When it is not sent any more.
    public var expires: QueueTime { values.value.expires }
    /// How long after the first attempt it may be repeated.
    public var repeatWindow: Duration { values.value.repeatWindow }

    /// The operation, for events and metrics.
    public var operation: Operation? { values.value.operation }

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

    init(_ values: Values) { self.values = CopyOnWrite(values) }

    /// Whether both send the same.
    public static func == (a: QueueItem, b: QueueItem) -> Bool {
        a.values.isIdentical(to: b.values) || a.values.value == b.values.value
    }

    /// Hashes all of it.
    public func hash(into hasher: inout Hasher) { hasher.combine(values.value) }
}

extension QueueItem: Redacted {
    /// Method, origin and path: no query, header values, keys or body.
    public var description: String { "\(method) \(origin)\(target.prefix { $0 != "?" })" }
}
