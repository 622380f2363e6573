/// The options of one call. An option that is `nil` is taken from the operation, then from the client, then from the
/// engine.
///
/// A call with an impossible value, such as a negative limit, fails before any I/O with the code
/// ``NetworkError/misconfigured``; the message names the property.
public struct CallOptions: Sendable {
    /// The maximum duration of the whole call, including waits, token refreshes, retries and their backoffs.
    public var deadline: Duration?
    /// When and how often to send again.
    public var retry: (any RetryPolicy)? {
        get { policy?.value }
        set { policy = newValue.map(CopyOnWrite.init) }
    }
    /// The value of `Idempotency-Key`, which identifies repeated requests to the server: not empty, without control
    /// characters. It makes `POST` and `PATCH` retryable. All attempts send the same key.
    ///
    /// An operation of a generated client whose document has this header takes the key as a parameter too, which takes
    /// precedence. Without either, the client generates a key for each call, in the form of the document.
    public var idempotencyKey: String?
    /// Header fields to set on the request. They replace fields of the same name.
    public var fields: HTTPFields
    /// Query items to add to the request's URL; names and values are percent-encoded.
    public var query: [(name: String, value: String)]
    /// The maximum size of a response that is held in memory, in bytes; a larger one fails with
    /// ``NetworkError/responseTooLarge``. 0 or more; `nil` for the client's or engine's limit, 64 MiB by default. Streams
    /// are not held in memory.
    public var responseLimit: Int?
    /// The maximum number of values that the JSON of a response may have where a generated client decodes it, including
    /// names of members; more fail as a response that does not match the document. 0 or more; `nil` for the client's
    /// limit, 8,388,608 by default. Each value takes 8 bytes while it is decoded.
    public var jsonValueLimit: Int?
    /// The importance of the call compared with others; `nil` for ``CallPriority/normal``.
    public var priority: CallPriority?
    /// The time limits of each attempt; they take precedence over the transport's.
    public var limits: AttemptLimits? {
        get { attempt?.value }
        set { attempt = newValue.map(CopyOnWrite.init) }
    }
    /// The position in a distributed trace.
    public var trace: TraceContext?
    /// How stored responses are used; `nil` for ``CacheMode/standard``.
    public var cache: CacheMode?
    /// Whether the origin's retry budget limits the retries; `nil` for `true`. Without the limit, the call takes no
    /// token of the budget: use it only for few and important calls.
    public var isLimitedByRetryBudget: Bool?
    /// Whether the engine may hedge the call: send a second request when the response is slow. `nil` for `true`. It
    /// affects only `GET` and `HEAD`, and only engines that hedge.
    public var isHedged: Bool?
    /// The circuit breaker that guards the attempts; `nil` for ``CircuitBreakerChoice/engine``.
    public var circuitBreaker: CircuitBreakerChoice?
    /// The behaviour of the call under a rate limit; `nil` for ``RateGateChoice/wait``.
    public var rateGate: RateGateChoice?
    /// Whether the engine's bulkhead limits the attempts; `nil` for `true`. Without the limit, the call needs no
    /// permit: use it only for few and important calls.
    public var isLimitedByBulkhead: Bool?
    /// Whether the call is a background call, such as those of an offline queue; `nil` for `false`. The last quarter of
    /// a bulkhead's permits is reserved for other calls. If no permit is available, the call fails immediately with
    /// ``NetworkError/overloaded``.
    public var isBackground: Bool?
    /// The policy, by reference. Why: otherwise a type that contains options is address-only, and in optimized code
    /// (Swift 6.3) it is not released when an optional variable of it is set to `nil`.
    private var policy: CopyOnWrite<any RetryPolicy>?
    /// The limits, by reference: most calls have none, and each has options.
    private var attempt: CopyOnWrite<AttemptLimits>?

    /// Creates options.
    public init(
        deadline: Duration? = nil, retry: (any RetryPolicy)? = nil, idempotencyKey: String? = nil,
        fields: HTTPFields = HTTPFields(), query: [(name: String, value: String)] = [],
        responseLimit: Int? = nil, jsonValueLimit: Int? = nil, priority: CallPriority? = nil,
        limits: AttemptLimits? = nil, trace: TraceContext? = nil, cache: CacheMode? = nil,
        isLimitedByRetryBudget: Bool? = nil, isHedged: Bool? = nil,
        circuitBreaker: CircuitBreakerChoice? = nil, rateGate: RateGateChoice? = nil,
        isLimitedByBulkhead: Bool? = nil, isBackground: Bool? = nil
    ) {
        self.deadline = deadline
        policy = retry.map(CopyOnWrite.init)
        self.idempotencyKey = idempotencyKey
        self.fields = fields
        self.query = query
        self.responseLimit = responseLimit
        self.jsonValueLimit = jsonValueLimit
        self.priority = priority
        attempt = limits.map(CopyOnWrite.init)
        self.trace = trace
        self.cache = cache
        self.isLimitedByRetryBudget = isLimitedByRetryBudget
        self.isHedged = isHedged
        self.circuitBreaker = circuitBreaker
        self.rateGate = rateGate
        self.isLimitedByBulkhead = isLimitedByBulkhead
        self.isBackground = isBackground
    }

    /// These options, with missing ones taken from `defaults`. Header fields and limits are merged individually; query
    /// items are concatenated, those of `defaults` first.
    public func over(_ defaults: CallOptions) -> CallOptions {
        var merged = self
        merged.deadline = deadline ?? defaults.deadline
        merged.retry = retry ?? defaults.retry
        merged.idempotencyKey = idempotencyKey ?? defaults.idempotencyKey
        merged.responseLimit = responseLimit ?? defaults.responseLimit
        merged.jsonValueLimit = jsonValueLimit ?? defaults.jsonValueLimit
        merged.priority = priority ?? defaults.priority
        merged.trace = trace ?? defaults.trace
        merged.cache = cache ?? defaults.cache
        merged.isLimitedByRetryBudget = isLimitedByRetryBudget ?? defaults.isLimitedByRetryBudget
        merged.isHedged = isHedged ?? defaults.isHedged
        merged.circuitBreaker = circuitBreaker ?? defaults.circuitBreaker
        merged.rateGate = rateGate ?? defaults.rateGate
        merged.isLimitedByBulkhead = isLimitedByBulkhead ?? defaults.isLimitedByBulkhead
        merged.isBackground = isBackground ?? defaults.isBackground
        if let limits = defaults.limits { merged.limits = self.limits?.over(limits) ?? limits }
        if !defaults.query.isEmpty { merged.query = defaults.query + query }
        for field in defaults.fields where !fields.contains(field.name) { merged.fields.append(field) }
        return merged
    }
}

extension HTTPRequest {
    /// Applies the options of the request itself: header fields, query items and the idempotency key.
    public mutating func apply(_ options: CallOptions) {
        if !options.fields.isEmpty {
            var seen: [HTTPField.Name] = []
            for field in options.fields {
                if !seen.contains(field.name) {
                    fields.remove(field.name)
                    seen.append(field.name)
                }
                fields.append(field)
            }
        }
        apply(options.cache)
        if let key = options.idempotencyKey { fields[.idempotencyKey] = key }
        if !options.query.isEmpty { target = target.adding(query: options.query) }
    }
}

extension String {
    /// A request target with further query items, percent-encoded (RFC 3986 §3.4).
    fileprivate func adding(query items: [(name: String, value: String)]) -> String {
        var target = self
        var separator = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        if target.hasSuffix("?") || target.hasSuffix("&") { separator = "" }
        for (name, value) in items {
            target += separator + name.queryEncoded + "=" + value.queryEncoded
            separator = "&"
        }
        return target
    }

    /// Percent-encoded, except for unreserved characters (RFC 3986 §2.3).
    private var queryEncoded: String { String(percentEncoding: Array(utf8), keeping: \.isUnreserved) }
}
