/// The options of ``CallOptions``, by property name. Declare new options here; all code that depends on them is a
/// `switch`.
package enum CallOption: String, CaseIterable, Sendable {
    case deadline, retry, idempotencyKey, fields, query, isLimitedByRetryBudget, isHedged, cache,
        responseLimit
    case jsonValueLimit, priority, trace, limits, rateGate, circuitBreaker, isLimitedByBulkhead, isBackground

    /// Whether calls with different values must not share a response, because the option changes the request or how its
    /// response is obtained. Other options apply to each call separately.
    package var separatesCalls: Bool {
        switch self {
        case .deadline, .jsonValueLimit, .priority, .trace: false
        case .retry, .idempotencyKey, .fields, .query, .isLimitedByRetryBudget, .isHedged, .cache,
            .responseLimit, .limits, .rateGate, .circuitBreaker, .isLimitedByBulkhead, .isBackground:
            true
        }
    }
}

extension RequestContext {
    /// The choices that the options make for the layers. Calls with different choices share no response.
    @usableFromInline
    struct Choices: Equatable, Sendable {
        @usableFromInline var cache: CacheMode
        @usableFromInline let circuitBreaker: CircuitBreakerChoice
        @usableFromInline let rateGate: RateGateChoice
        @usableFromInline let isLimitedByRetryBudget: Bool
        @usableFromInline let isLimitedByBulkhead: Bool
        @usableFromInline let isBackground: Bool
        @usableFromInline let isHedged: Bool

        // Inline, because an out-of-line initializer copies all options.
        @inline(__always)
        init(_ options: CallOptions) {
            cache = options.cache ?? .standard
            circuitBreaker = options.circuitBreaker ?? .engine
            rateGate = options.rateGate ?? .wait
            isLimitedByRetryBudget = options.isLimitedByRetryBudget ?? true
            isLimitedByBulkhead = options.isLimitedByBulkhead ?? true
            isBackground = options.isBackground ?? false
            isHedged = options.isHedged ?? true
        }
    }

    /// Whether two calls have the same choices.
    package func hasSameChoices(as other: RequestContext) -> Bool {
        values.value.choices == other.values.value.choices
    }
}
