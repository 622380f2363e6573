extension NetworkError {
    /// What kind of failure this is; for ``unacceptableStatus`` the status decides.
    public var category: ErrorCategory {
        if code == .unacceptableStatus, let status { return ErrorCategory(status: status) }
        return code.category
    }

    /// Whether a later attempt may succeed although nothing was changed. Whether sending again is *safe* is
    /// another question: see ``mayHaveBeenSent``.
    public var isRetryable: Bool {
        if code == .unacceptableStatus, let status { return RetryableStatuses.default.contains(status) }
        return code.isTransient
    }

    /// A short sentence fit for people who did not write the program.
    public var messageForPeople: String { category.messageForPeople }
}
