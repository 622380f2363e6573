/// What travels down with a request through every layer. It is made once, where the call enters, so that every
/// wait counts against its deadline.
public struct RequestContext: Sendable {
    /// The call's identity across attempts, layers and logs. Not zero.
    public let traceID: UInt64
    /// When the whole call must be over.
    public private(set) var deadline: Deadline?
    /// The operation's name, such as `listBooks`; low in cardinality, fit for metrics.
    public let operation: StaticString?
    /// The retry policy that overrides the engine's.
    public var retry: (any RetryPolicy)?
    /// How the response's content is delivered.
    public var response = ResponseMode.default
    /// Whose credential each attempt is stamped with.
    public var credentials: (any CredentialSource)?
    /// The oldest credential generation that will do: a replay after a 401 asks for the rejected one plus 1.
    public var minimumGeneration: UInt64 = 0
    /// Who hears of what happens; `nil` costs nothing.
    public var events: (any RequestEventSink)?
    /// Whether the call went through an entry layer, so that a second one below adds nothing.
    package var isEntered = false

    /// Makes the context of a new call.
    ///
    /// - Parameters:
    ///   - options: what the caller said.
    ///   - operation: the operation's name.
    ///   - clock: what the deadline is counted on.
    ///   - random: where the trace id comes from.
    public init(
        options: CallOptions = CallOptions(), operation: StaticString? = nil,
        clock: some GatewayClock = SystemClock(), random: some RandomSource = FastRandomSource()
    ) {
        traceID = max(1, random.next())
        deadline = options.deadline.map { Deadline.after($0, clock: clock) }
        retry = options.retry
        self.operation = operation
    }

    /// The same context with a deadline that is no later than given. A deadline is never extended.
    public func limited(to deadline: Deadline) -> RequestContext {
        var copy = self
        copy.deadline = self.deadline.map { min($0, deadline) } ?? deadline
        return copy
    }
}
