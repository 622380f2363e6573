/// What travels down with a request through every layer. It is made once, where the call enters, so that every wait
/// counts against its deadline.
///
/// The value is one pointer wide and copied when a shared one is changed: a call makes one, and another for each
/// repeated attempt.
public struct RequestContext: Sendable {
    /// What few calls have. It is apart, since thousands of calls may wait at a time.
    @usableFromInline
    struct Extras: Sendable {
        @usableFromInline var trace: TraceContext?
        @usableFromInline var baggage = Baggage()
        @usableFromInline var limits: AttemptLimits?
        @usableFromInline var retry: (any RetryPolicy)?
        /// The error of an option with an impossible value.
        @usableFromInline var problem: NetworkError?

        init() {}

        /// What the options say; `nil` if they say nothing.
        @inline(__always)
        init?(_ options: CallOptions) {
            let problem = options.problem
            guard options.trace != nil || options.limits != nil || options.retry != nil || problem != nil
            else {
                return nil
            }
            (trace, limits, retry) = (options.trace, options.limits, options.retry)
            self.problem = problem
        }
    }

    @usableFromInline
    struct Values: Sendable {
        @usableFromInline let callID: UInt64
        @usableFromInline let operation: Operation?
        @usableFromInline let priority: CallPriority
        @usableFromInline let clock: any GatewayClock
        @usableFromInline var deadline: Deadline?
        /// Whether the call has its own deadline in addition to that of its task.
        @usableFromInline var hasOwnDeadline: Bool
        @usableFromInline var extras: CopyOnWrite<Extras>?
        @usableFromInline var attempt = AttemptInfo.first
        @usableFromInline var response: ResponseMode
        @usableFromInline var events: (any RequestEventSink)?
        @usableFromInline var credentials: (any CredentialSource)?
        @usableFromInline var isAnonymous = false
        @usableFromInline var minimumGeneration: UInt64 = 0
        @usableFromInline var isEntered = false
        @usableFromInline var isEndedByCaller = false
        @usableFromInline var followsRedirects = true
        @usableFromInline var readsAtOnce = false
        @usableFromInline var isLimitedByDeadlineAlone = false
        @usableFromInline var opensConnection = false
        @usableFromInline var choices: Choices
        @usableFromInline var reentry: EngineReentry?
        @usableFromInline var racing: (any RacingAttempt)?
        @usableFromInline var replay: ReplayPrecedence.Place?
    }

    @usableFromInline var values: ContextStorage<Values>

    /// The identity of the call over attempts, layers and logs. Not zero.
    @inlinable public var callID: UInt64 { values.value.callID }
    /// The operation, if it is known.
    @inlinable public var operation: Operation? { values.value.operation }
    /// The clock of the engine that makes the call.
    @inlinable package var clock: any GatewayClock { values.value.clock }
    /// The time of that clock.
    package var time: MonotonicTime { values.value.clock.time }
    /// How important the call is. It rises while equal calls of a higher priority wait for this one's response, so an
    /// ``AdmissionControl`` with a queue reads it whenever it chooses the next attempt.
    public var priority: CallPriority {
        max(values.value.priority, CallPriority(rank: values.raisedRank))
    }
    /// When the whole call must have ended: at its own deadline or that of the task that the context was made in
    /// (``Deadline/ambient``), the earlier of both. ``limited(to:)`` makes it earlier.
    @inlinable public var deadline: Deadline? { values.value.deadline }
    /// The time limits of each attempt, over the transport's.
    public package(set) var limits: AttemptLimits? {
        get { values.value.extras?.value.limits }
        set { changeExtras { $0.limits = newValue } }
    }
    /// The position in a distributed trace, if the call has one.
    public var trace: TraceContext? {
        @inlinable get { values.value.extras?.value.trace }
        set { changeExtras { $0.trace = newValue } }
    }
    /// The values that travel with the trace.
    public var baggage: Baggage {
        get { values.value.extras?.value.baggage ?? Baggage() }
        set { changeExtras { $0.baggage = newValue } }
    }
    /// Whether attempts carry a trace context or baggage.
    package var isTraced: Bool {
        guard let extras = values.value.extras else { return false }
        return extras.value.trace != nil || !extras.value.baggage.isEmpty
    }
    /// The error that the call fails with before any I/O: an option has an impossible value.
    package var problem: NetworkError? { values.value.extras?.value.problem }
    /// Which attempt of the call the request is.
    public var attempt: AttemptInfo {
        @inlinable get { values.value.attempt }
        set { values.value.attempt = newValue }
    }
    /// How stored responses are used.
    public var cache: CacheMode {
        @inlinable get { values.value.choices.cache }
        set { values.value.choices.cache = newValue }
    }
    /// The circuit breaker that guards the attempts.
    @inlinable public var circuitBreaker: CircuitBreakerChoice { values.value.choices.circuitBreaker }
    /// What the call does while a rate limit holds it back.
    @inlinable public var rateGate: RateGateChoice { values.value.choices.rateGate }
    /// Whether the origin's retry budget limits the retries.
    @inlinable package var isLimitedByRetryBudget: Bool { values.value.choices.isLimitedByRetryBudget }
    /// Whether the engine's bulkhead limits the attempts.
    @inlinable package var isLimitedByBulkhead: Bool { values.value.choices.isLimitedByBulkhead }
    /// Whether the call leaves the last permits to others.
    @inlinable package var isBackground: Bool { values.value.choices.isBackground }
    /// Whether the engine may hedge the call.
    @inlinable package var isHedged: Bool { values.value.choices.isHedged }
    /// The way back to the engine that the call entered; `nil` before it entered one. No layer keeps it.
    @inlinable package var reentry: EngineReentry? { values.value.reentry }
    /// The retry policy that replaces the engine's.
    public var retry: (any RetryPolicy)? {
        @inlinable get { values.value.extras?.value.retry }
        set { changeExtras { $0.retry = newValue } }
    }
    /// How the response's content is delivered.
    public var response: ResponseMode {
        @inlinable get { values.value.response }
        set { values.value.response = newValue }
    }
    /// The receiver of the call's events; `nil` costs nothing.
    public var events: (any RequestEventSink)? {
        @inlinable get { values.value.events }
        set { values.value.events = newValue }
    }
    /// The credential that each attempt is stamped with.
    public var credentials: (any CredentialSource)? {
        @inlinable get { values.value.credentials }
        set { values.value.credentials = newValue }
    }
    /// Whether the call is sent without a credential, even if the engine has one for the origin. Default: `false`.
    public var isAnonymous: Bool {
        @inlinable get { values.value.isAnonymous }
        set { values.value.isAnonymous = newValue }
    }
    /// The oldest credential generation that may be used: a replay after a 401 requires the rejected one plus 1.
    public var minimumGeneration: UInt64 {
        @inlinable get { values.value.minimumGeneration }
        set { values.value.minimumGeneration = newValue }
    }
    /// Whether redirects may be followed; `false` for requests whose body must reach only their origin, such as token
    /// requests.
    package var followsRedirects: Bool {
        @inlinable get { values.value.followsRedirects }
        set { values.value.followsRedirects = newValue }
    }
    /// Whether the caller of a streamed response does nothing before it has read the content: a transport may deliver
    /// small content together with the head. The head is valid even if the content fails.
    package var readsAtOnce: Bool {
        @inlinable get { values.value.readsAtOnce }
        set { values.value.readsAtOnce = newValue }
    }
    /// Whether the call went through an entry layer, so that a second one below adds nothing.
    @inlinable package var isEntered: Bool { values.value.isEntered }
    /// Whether the end of the call is recorded by its caller, which decodes the response: by ``HTTPResponse/ending``.
    package var isEndedByCaller: Bool {
        @inlinable get { values.value.isEndedByCaller }
        set { values.value.isEndedByCaller = newValue }
    }
    /// Whether only the deadline limits the wait for the response, and no shorter limit of the transport: a token
    /// request may have spent its refresh token, which is lost with the response.
    package var isLimitedByDeadlineAlone: Bool {
        @inlinable get { values.value.isLimitedByDeadlineAlone }
        set { values.value.isLimitedByDeadlineAlone = newValue }
    }

    /// Whether the attempt must open a new connection, because kept connections to the origin have failed repeatedly.
    package var opensConnection: Bool {
        @inlinable get { values.value.opensConnection }
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
                hasOwnDeadline: own != nil, extras: Extras(options).map { CopyOnWrite($0) },
                response: response ?? limited ?? .default,
                credentials: credentials, choices: Choices(options)))
    }

    private mutating func changeExtras(_ change: (inout Extras) -> Void) {
        // Taken out, so that they are not copied if no other context has them.
        var extras = values.value.extras.take() ?? CopyOnWrite(Extras())
        change(&extras.value)
        values.value.extras = extras
    }

    /// Raises the priority of this context and of all its copies, which layers below may hold. A lower priority changes
    /// nothing.
    ///
    /// - Returns: whether it was lower.
    @discardableResult
    package func raisePriority(to priority: CallPriority) -> Bool {
        priority > values.value.priority && values.raise(to: priority.rank)
    }

    /// The same context with a deadline that is no later than given. A deadline is never extended.
    public func limited(to deadline: Deadline) -> RequestContext {
        var copy = self
        copy.values.value.deadline = Deadline.earliest(self.deadline, deadline)
        copy.values.value.hasOwnDeadline = true
        return copy
    }

    /// Whether both are the same value in memory.
    @inlinable
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
        if let events { values.value.events = EventFork.joining(self.events, events) }
    }
}
