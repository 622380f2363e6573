/// What travels down with a request through every layer. It is made once, where the call enters, so that every
/// wait counts against its deadline.
///
/// The value is one pointer wide: each layer holds one while it waits for the layer below.
public struct RequestContext: Sendable {
    /// What layers change on the way.
    package struct Values: Sendable {
        package let traceID: UInt64
        package var deadline: Deadline?
        package var credentials: (any CredentialSource)?
        package var minimumGeneration: UInt64 = 0
        /// Whether the call went through an entry layer, so that a second one below adds nothing.
        package var isEntered = false
        /// See ``RequestContext/isLimitedByDeadlineAlone``.
        package var isLimitedByDeadlineAlone = false
        /// What few calls say and no layer changes.
        fileprivate var settings: Settings
    }

    fileprivate final class Settings: Sendable {
        let operation: StaticString?
        let retry: (any RetryPolicy)?
        let response: ResponseMode
        let events: (any RequestEventSink)?
        let followsRedirects: Bool

        init(
            operation: StaticString? = nil, retry: (any RetryPolicy)? = nil,
            response: ResponseMode = .default, events: (any RequestEventSink)? = nil,
            followsRedirects: Bool = true
        ) {
            self.operation = operation
            self.retry = retry
            self.response = response
            self.events = events
            self.followsRedirects = followsRedirects
        }

        static let standard = Settings()
    }

    private final class Box: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private var box: Box

    /// The call's identity across attempts, layers and logs. Not zero.
    public var traceID: UInt64 { box.values.traceID }
    /// When the whole call must be over.
    public var deadline: Deadline? { box.values.deadline }
    /// The operation's name, such as `listBooks`; low in cardinality, fit for metrics.
    public var operation: StaticString? { settings.operation }
    /// The retry policy that overrides the engine's.
    public var retry: (any RetryPolicy)? {
        get { settings.retry }
        set { set(retry: .some(newValue)) }
    }
    /// How the response's content is delivered.
    public var response: ResponseMode {
        get { settings.response }
        set { set(response: newValue) }
    }
    /// Whose credential each attempt is stamped with.
    public var credentials: (any CredentialSource)? {
        get { box.values.credentials }
        set { change { $0.credentials = newValue } }
    }
    /// The oldest credential generation that will do: a replay after a 401 asks for the rejected one plus 1.
    public var minimumGeneration: UInt64 {
        get { box.values.minimumGeneration }
        set { change { $0.minimumGeneration = newValue } }
    }
    /// Who hears of what happens; `nil` costs nothing.
    public var events: (any RequestEventSink)? {
        get { settings.events }
        set { set(events: .some(newValue)) }
    }
    /// Whether redirects may be followed; `false` for requests whose body must reach nobody but their origin, such as
    /// token requests.
    package var followsRedirects: Bool {
        get { settings.followsRedirects }
        set { set(followsRedirects: newValue) }
    }
    /// Whether the call went through an entry layer.
    package var isEntered: Bool { box.values.isEntered }
    /// Whether only the deadline limits the wait for the response, and no shorter limit of the transport: a token
    /// request may have spent its refresh token, which is lost with the response.
    package var isLimitedByDeadlineAlone: Bool { box.values.isLimitedByDeadlineAlone }

    /// Makes the context of a new call.
    ///
    /// - Parameters:
    ///   - options: what the caller asked for; `responseLimit` becomes ``response``.
    ///   - operation: the operation's name.
    ///   - clock: the clock of the engine that makes the call, ``RequestEngine/clock``; the deadline is counted on it.
    ///   - random: where the trace id comes from.
    public init(
        options: CallOptions = CallOptions(), operation: StaticString? = nil,
        clock: any GatewayClock = SystemClock(), random: some RandomSource = FastRandomSource()
    ) {
        let isStandard = operation == nil && options.retry == nil && options.responseLimit == nil
        let response = options.responseLimit.map { ResponseMode.collect(upToBytes: max(0, $0)) } ?? .default
        box = Box(
            Values(
                traceID: max(1, random.next()),
                deadline: options.deadline.map { Deadline.after($0, clock: clock) },
                settings: isStandard
                    ? .standard
                    : Settings(operation: operation, retry: options.retry, response: response)))
    }

    /// The same context with a deadline that is no later than given. A deadline is never extended.
    public func limited(to deadline: Deadline) -> RequestContext {
        var copy = self
        copy.change { $0.deadline = $0.deadline.map { min($0, deadline) } ?? deadline }
        return copy
    }

    private var settings: Settings { box.values.settings }

    private mutating func set(
        retry: (any RetryPolicy)?? = nil, response: ResponseMode? = nil,
        events: (any RequestEventSink)?? = nil, followsRedirects: Bool? = nil
    ) {
        let settings = Settings(
            operation: operation, retry: retry ?? self.retry, response: response ?? self.response,
            events: events ?? self.events, followsRedirects: followsRedirects ?? self.followsRedirects)
        change { $0.settings = settings }
    }

    /// Changes several values at once.
    package mutating func change(_ body: (inout Values) -> Void) {
        var values = box.values
        body(&values)
        box = Box(values)
    }
}
