extension NetworkError {
    /// The origin of the failure. For ``unacceptableStatus`` it depends on the status.
    public var category: ErrorCategory {
        if code == .unacceptableStatus, let status { return ErrorCategory(status: status) }
        return code.category
    }

    /// The recommended reaction. For ``unacceptableStatus`` it depends on the status and `Retry-After`.
    public var guidance: ErrorGuidance {
        if code == .unacceptableStatus, let status {
            return ErrorGuidance(status: status, retryAfter: retryAfter)
        }
        return code.guidance
    }

    /// Whether a later attempt may succeed without a change. Whether sending again is *safe* is a different question:
    /// see ``mayHaveBeenSent``.
    public var isRetryable: Bool {
        if code == .unacceptableStatus, let status { return RetryableStatuses.default.contains(status) }
        return code.isTransient
    }
}
