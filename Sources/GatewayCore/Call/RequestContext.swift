/// What travels down with a request through every layer. It is made once, where the call enters, so that every wait
/// counts against its deadline.
///
/// The value is one pointer wide and copied when a shared one is changed: a call makes one, and another for each repeated
/// attempt.
public struct RequestContext: Sendable {
    /// What few calls have. It is apart, since thousands of calls may wait at a time.
    private struct Extras: Sendable {
        var trace: TraceContext?
        var retry: (any RetryPolicy)?
    }

    private struct Values: Sendable {
        let callID: UInt64
        let operation: Operation?
        let priority: CallPriority
        let clock: any GatewayClock
        var deadline: Deadline?
        /// Whether the call has a deadline of its own, besides that of its task.
        var hasOwnDeadline: Bool
        var limits: AttemptLimits?
        var extras: CopyOnWrite<Extras>?
        var attempt = AttemptInfo.first
        var response: ResponseMode
        var events: (any RequestEventSink)?
        var credentials: (any CredentialSource)?
        var minimumGeneration: UInt64 = 0
        var isEntered = false
        var followsRedirects = true
        var isLimitedByDeadlineAlone = false
        var opensConnection = false
        var cache: CacheMode
        let circuitBreaker: CircuitBreakerChoice
        let isLimitedByRetryBudget: Bool
        var reentry: EngineReentry?
    }

    private var values: ContextStorage<Values>

    /// The identity of the call over attempts, layers and logs. Not zero.
    public var callID: UInt64 { values.value.callID }
    /// The operation, if it is known.
    public var operation: Operation? { values.value.operation }
    /// The clock of the engine that makes the call.
    package var clock: any GatewayClock { values.value.clock }
    /// How important the call is. It rises while equal calls of a higher priority wait for this one's response, so an
    /// ``AdmissionControl`` with a queue reads it whenever it chooses the next attempt.
    public var priority: CallPriority {
        max(values.value.priority, CallPriority(rank: values.raisedRank))
    }
    /// When the whole call must have ended: at its own deadline or that of the task that the context was made in
    /// (``Deadline/ambient``), the earlier of both. ``limited(to:)`` makes it earlier.
    public var deadline: Deadline? { values.value.deadline }
    /// The time limits of each attempt, over the transport's.
    public var limits: AttemptLimits? { values.value.limits }
    /// The position in a distributed trace, if the call has one.
    public var trace: TraceContext? {
        get { values.value.extras?.value.trace }
        set { changeExtras { $0.trace = newValue } }
    }
    /// Which attempt of the call the request is.
    public var attempt: AttemptInfo {
        get { values.value.attempt }
        set { values.value.attempt = newValue }
    }
    /// How stored responses are used.
    public var cache: CacheMode {
        get { values.value.cache }
        set { values.value.cache = newValue }
    }
    /// The circuit breaker that guards the attempts.
    public var circuitBreaker: CircuitBreakerChoice { values.value.circuitBreaker }
    /// Whether the origin's retry budget limits the retries.
    package var isLimitedByRetryBudget: Bool { values.value.isLimitedByRetryBudget }
    /// The way back to the engine that the call entered; `nil` before it entered one. No layer keeps it.
    package var reentry: EngineReentry? { values.value.reentry }
    /// The retry policy that replaces the engine's.
    public var retry: (any RetryPolicy)? {
        get { values.value.extras?.value.retry }
        set { changeExtras { $0.retry = newValue } }
    }
    /// How the response's content is delivered.
    public var response: ResponseMode {
        get { values.value.response }
        set { values.value.response = newValue }
    }
    /// The receiver of the call's events; `nil` costs nothing.
    public var events: (any RequestEventSink)? {
        get { values.value.events }
        set { values.value.events = newValue }
    }
    /// The credential that each attempt is stamped with.
    public var credentials: (any CredentialSource)? {
        get { values.value.credentials }
        set { values.value.credentials = newValue }
    }
    /// The oldest credential generation that may be used: a replay after a 401 requires the rejected one plus 1.
    public var minimumGeneration: UInt64 {
        get { values.value.minimumGeneration }
        set { values.value.minimumGeneration = newValue }
    }
    /// Whether redirects may be followed; `false` for requests whose body must reach only their origin, such as token
    /// requests.
    package var followsRedirects: Bool {
        get { values.value.followsRedirects }
        set { values.value.followsRedirects = newValue }
    }
    /// Whether the call went through an entry layer, so that a second one below adds nothing.
    package var isEntered: Bool { values.value.isEntered }
    /// Whether only the deadline limits the wait for the response, and no shorter limit of the transport: a token
    /// request may have spent its refresh token, which is lost with the response.
    package var isLimitedByDeadlineAlone: Bool {
        get { values.value.isLimitedByDeadlineAlone }
        set { values.value.isLimitedByDeadlineAlone = newValue }
    }

    /// Whether the attempt must open a connection of its own: kept connections to the origin have failed repeatedly.
    package var opensConnection: Bool {
        get { values.value.opensConnection }
        set { values.value.opensConnection = newValue }
    }

    /// Makes the context of a new call.
    ///
    /// - Parameters:
    ///   - options: the options of the call, merged; `responseLimit` becomes ``response``.
    ///   - operation: the operation, if it is known.
    ///   - credentials: the credential that each attempt is stamped with.
    ///   - response: how the content is delivered; `nil` for what the options say.
    ///   - clock: the clock of the engine that makes the call, ``RequestEngine/clock``; the deadline is measured on it.
    ///   - random: the source of the call's ID.
    public init(
        options: CallOptions = CallOptions(), operation: Operation? = nil,
        credentials: (any CredentialSource)? = nil, response: ResponseMode? = nil,
        clock: any GatewayClock = SystemClock(), random: some RandomSource = FastRandomSource()
    ) {
        let limited = options.responseLimit.map { ResponseMode.collect(upToBytes: max(0, $0)) }
        let own = options.deadline.map { Deadline.after($0, clock: clock) }
        values = ContextStorage(
            Values(
                callID: max(1, random.next()), operation: operation, priority: options.priority ?? .normal,
                clock: clock, deadline: Deadline.earliest(own, Deadline.inherited),
                hasOwnDeadline: own != nil, limits: options.limits,
                extras: options.trace == nil && options.retry == nil
                    ? nil : CopyOnWrite(Extras(trace: options.trace, retry: options.retry)),
                response: response ?? limited ?? .default,
                credentials: credentials, cache: options.cache ?? .standard,
                circuitBreaker: options.circuitBreaker ?? .engine,
                isLimitedByRetryBudget: options.isLimitedByRetryBudget ?? true))
    }

    private mutating func changeExtras(_ change: (inout Extras) -> Void) {
        var extras = values.value.extras ?? CopyOnWrite(Extras())
        change(&extras.value)
        values.value.extras = extras
    }

    /// Raises the priority of this context and of all its copies, which layers below may hold. A lower priority changes
    /// nothing.
    package func raisePriority(to priority: CallPriority) {
        if priority > values.value.priority { values.raise(to: priority.rank) }
    }

    /// The same context with a deadline that is no later than given. A deadline is never extended.
    public func limited(to deadline: Deadline) -> RequestContext {
        var copy = self
        copy.values.value.deadline = Deadline.earliest(self.deadline, deadline)
        copy.values.value.hasOwnDeadline = true
        return copy
    }

    /// Whether both are the same value in memory.
    package func isIdentical(to other: RequestContext) -> Bool { values.isIdentical(to: other.values) }

    /// Notes that the call went through an entry layer, and applies the layer's defaults.
    package mutating func enter(
        deadline: @autoclosure () -> Deadline?, events: (any RequestEventSink)?, reentry: EngineReentry?
    ) {
        values.value.isEntered = true
        values.value.reentry = reentry
        if !values.value.hasOwnDeadline {
            values.value.deadline = Deadline.earliest(self.deadline, deadline())
        }
        if self.events == nil, let events { values.value.events = events }
    }
}
