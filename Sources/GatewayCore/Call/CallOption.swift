/// Every option of ``CallOptions``, by the name of its property. A new one is declared here; what must know it is a `switch`.
package enum CallOption: String, CaseIterable, Sendable {
    case deadline, retry, idempotencyKey, fields, query, isLimitedByRetryBudget, isHedged, cache,
        responseLimit
    case jsonValueLimit, priority, trace, limits, rateGate, circuitBreaker, isLimitedByBulkhead, isBackground

    /// Whether calls with different values share no response: the option changes the request, or how its response is
    /// obtained. One that does not is obeyed for each call by itself.
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
    /// What the options let the layers do. Calls whose choices differ in anything share no response.
    @usableFromInline
    struct Choices: Equatable, Sendable {
        @usableFromInline var cache: CacheMode
        @usableFromInline let circuitBreaker: CircuitBreakerChoice
        @usableFromInline let rateGate: RateGateChoice
        @usableFromInline let isLimitedByRetryBudget: Bool
        @usableFromInline let isLimitedByBulkhead: Bool
        @usableFromInline let isBackground: Bool
        @usableFromInline let isHedged: Bool

        // In line, since an initializer of its own copies all options.
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

    /// Whether two calls have made the same choices.
    package func hasSameChoices(as other: RequestContext) -> Bool {
        values.value.choices == other.values.value.choices
    }
}
