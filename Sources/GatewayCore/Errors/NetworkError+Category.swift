extension NetworkError {
    /// The kind of the failure; for ``unacceptableStatus`` it is the status's.
    public var category: ErrorCategory {
        if code == .unacceptableStatus, let status { return ErrorCategory(status: status) }
        return code.category
    }

    /// What the caller can do about it; for ``unacceptableStatus`` the status and `Retry-After` decide.
    public var guidance: ErrorGuidance {
        if code == .unacceptableStatus, let status {
            return ErrorGuidance(status: status, retryAfter: retryAfter)
        }
        return code.guidance
    }

    /// Whether a later attempt may succeed although nothing was changed. Whether sending again is *safe* is
    /// another question: see ``mayHaveBeenSent``.
    public var isRetryable: Bool {
        if code == .unacceptableStatus, let status { return RetryableStatuses.default.contains(status) }
        return code.isTransient
    }
}
