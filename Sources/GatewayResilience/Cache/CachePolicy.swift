public import GatewayCore

/// What an ``HTTPCache`` stores and how long stored responses may be used, in addition to the response
/// fields.
public struct CachePolicy: Hashable, Sendable {
    /// The maximum size of a body that is stored, in bytes. Defaults to 1 MiB.
    public var largestEntryBytes = 1 << 20
    /// The maximum number of stored variants of a URI (`Vary`). Beyond it, the variant that was received
    /// first is replaced. Defaults to 16.
    public var mostVariants = 16
    /// The fraction of the time since `Last-Modified` for which a response without explicit freshness is
    /// fresh (RFC 9111 §4.2.2). Defaults to 0.1; 0 disables heuristic freshness.
    public var heuristicFraction = 0.1
    /// The maximum of the heuristic freshness. Defaults to 1 day.
    public var longestHeuristic = Duration.seconds(86_400)
    /// How long a 404, 405, 410, 414 or 501 without explicit freshness is fresh; `nil`, the default, for the
    /// heuristic freshness.
    public var negative: Duration?
    /// How long a stale response may replace an error (a transport error, 500, 502, 503 or 504), if the
    /// response has no `stale-if-error` (RFC 5861 §4). `nil`, the default, for not at all.
    public var staleIfError: Duration?
    /// How long a stale response may be used while it is validated in the background, if the response has no
    /// `stale-while-revalidate` (RFC 5861 §3). `nil`, the default, for not at all.
    public var stalenessBudget: Duration?
    /// Values by operation ID that take precedence over ``stalenessBudget``, such as 30 s for news and 24 h
    /// for a catalogue.
    public var stalenessBudgets: [String: Duration] = [:]
    /// The time limit of a validation in the background. Defaults to 30 s.
    public var backgroundLimit = Duration.seconds(30)
    /// The maximum time that a call waits for the store, all of its steps together; `nil` for no limit.
    /// Defaults to 50 ms. After it the call continues without the store, and the event
    /// ``GatewayCore/StateEvent/Kind/cacheStoreFailed(_:)`` has the code `timed_out`. A store in memory
    /// never waits.
    public var storeLimit: Duration? = .milliseconds(50)
    /// The names of request fields with credentials, in addition to `DPoP` and all names that contain
    /// `auth`, `cookie`, `token`, `secret`, `session`, `signature`, `csrf` or `api-key`. A request with such
    /// a field set by the caller only uses responses to requests with the same value. `Idempotency-Key` is
    /// ignored.
    public var credentialFields: [HTTPField.Name] = []
    /// The name of the cache in `Cache-Status` (RFC 9211), which is then added to responses; `nil`, the
    /// default, omits the field.
    public var statusName: String?

    /// The defaults.
    public init() {}

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(largestEntryBytes > 0, "largestEntryBytes", "must be 1 or more")
        try NetworkError.require(mostVariants > 0, "mostVariants", "must be 1 or more")
        try NetworkError.require(
            (0...1).contains(heuristicFraction), "heuristicFraction", "must be from 0 to 1")
        for (name, duration) in [
            ("longestHeuristic", longestHeuristic), ("negative", negative), ("staleIfError", staleIfError),
            ("stalenessBudget", stalenessBudget),
        ] {
            try NetworkError.require(duration.map { $0 >= .zero } ?? true, name, "must not be negative")
        }
        for (id, duration) in stalenessBudgets.sorted(by: { $0.key < $1.key }) {
            try NetworkError.require(
                duration >= .zero, "stalenessBudgets[\"\(id)\"]", "must not be negative")
        }
        try NetworkError.require(backgroundLimit > .zero, "backgroundLimit", "must be more than zero")
        try NetworkError.require(
            storeLimit.map { $0 > .zero } ?? true, "storeLimit", "must be more than zero")
        try NetworkError.require(
            statusName.map { HTTPSyntax.isToken($0.utf8) } ?? true, "statusName", "must be a token")
    }

    /// The staleness budget of an operation.
    func budget(of operation: Operation?) -> Duration? {
        if !stalenessBudgets.isEmpty, let operation, let own = stalenessBudgets[operation.id] { return own }
        return stalenessBudget
    }
}
