import GatewayCore
import GatewayResilience
@_spi(Reflection) import Swift
import Testing

/// `identity.every-option`
@Suite struct EveryOptionTests {
    /// Sets an option to a value that is not its default.
    private static func set(_ option: CallOption, _ options: inout CallOptions) {
        switch option {
        case .deadline: options.deadline = .seconds(7)
        case .retry: options.retry = ExponentialRetryPolicy(maximumAttempts: 7)
        case .idempotencyKey: options.idempotencyKey = "key-7"
        case .fields: options.fields = ["X-Seven": "7"]
        case .query: options.query = [("seven", "7")]
        case .responseLimit: options.responseLimit = 7
        case .jsonValueLimit: options.jsonValueLimit = 7
        case .priority: options.priority = .high
        case .limits: options.limits = AttemptLimits(firstByte: .seconds(7))
        case .trace: options.trace = TraceContext(traceIDHigh: 7, traceIDLow: 7, spanID: 7, flags: 1)
        case .cache: options.cache = .forceCache
        case .isLimitedByRetryBudget: options.isLimitedByRetryBudget = false
        case .isHedged: options.isHedged = false
        case .circuitBreaker: options.circuitBreaker = .off
        case .rateGate: options.rateGate = .fail
        case .isLimitedByBulkhead: options.isLimitedByBulkhead = false
        case .isBackground: options.isBackground = true
        }
    }

    private static func identity(_ options: CallOptions) throws -> RequestIdentity {
        var request = try HTTPRequest(.get, "http://127.0.0.1/x")
        request.apply(options)
        return try #require(RequestIdentity(request, context: RequestContext(options: options)))
    }

    private static func value(_ option: CallOption, _ options: CallOptions) -> String {
        switch option {
        case .deadline: String(describing: options.deadline)
        case .retry: String(describing: options.retry as? ExponentialRetryPolicy)
        case .idempotencyKey: String(describing: options.idempotencyKey)
        case .fields: String(describing: options.fields.map { "\($0.name)=\($0.value)" })
        case .query: String(describing: options.query)
        case .responseLimit: String(describing: options.responseLimit)
        case .jsonValueLimit: String(describing: options.jsonValueLimit)
        case .priority: String(describing: options.priority)
        case .limits: String(describing: options.limits)
        case .trace: String(describing: options.trace)
        case .cache: String(describing: options.cache)
        case .isLimitedByRetryBudget: String(describing: options.isLimitedByRetryBudget)
        case .isHedged: String(describing: options.isHedged)
        case .circuitBreaker: String(describing: options.circuitBreaker)
        case .rateGate: String(describing: options.rateGate)
        case .isLimitedByBulkhead: String(describing: options.isLimitedByBulkhead)
        case .isBackground: String(describing: options.isBackground)
        }
    }

    /// A stored property that ``CallOption`` does not name fails here, and one that it names has to say in `switch`es what
    /// it means.
    @Test func eachPropertyIsAnOption() {
        var names: Set<String> = []
        _ = _forEachField(of: CallOptions.self) { name, _, _, _ in
            names.insert(String(cString: name))
            return true
        }
        // The policy of retries and the limits of attempts are stored by reference, under other names.
        #expect(names.remove("policy") != nil && names.remove("attempt") != nil)
        #expect(names.union(["retry", "limits"]) == Set(CallOption.allCases.map(\.rawValue)))
    }

    @Test(arguments: CallOption.allCases) func eachTakesPartAsItSays(option: CallOption) throws {
        var options = CallOptions()
        Self.set(option, &options)
        let isOther = try Self.identity(options) != Self.identity(CallOptions())
        #expect(isOther == option.separatesCalls)
        #expect(try Self.identity(options) == Self.identity(options))
    }

    /// The initializer has each, and each is kept and taken from others.
    @Test func eachIsMerged() {
        var options = CallOptions()
        for option in CallOption.allCases { Self.set(option, &options) }
        let initialized = CallOptions(
            deadline: options.deadline, retry: options.retry, idempotencyKey: options.idempotencyKey,
            fields: options.fields, query: options.query, responseLimit: options.responseLimit,
            jsonValueLimit: options.jsonValueLimit, priority: options.priority, limits: options.limits,
            trace: options.trace, cache: options.cache,
            isLimitedByRetryBudget: options.isLimitedByRetryBudget, isHedged: options.isHedged,
            circuitBreaker: options.circuitBreaker, rateGate: options.rateGate,
            isLimitedByBulkhead: options.isLimitedByBulkhead, isBackground: options.isBackground)
        for option in CallOption.allCases {
            let value = Self.value(option, options)
            #expect(value != Self.value(option, CallOptions()), "\(option)")
            for other in [initialized, options.over(CallOptions()), CallOptions().over(options)] {
                #expect(Self.value(option, other) == value, "\(option)")
            }
        }
    }
}
