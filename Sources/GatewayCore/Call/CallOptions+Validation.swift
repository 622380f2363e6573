extension CallOptions {
    /// Validates the options that are set, before any I/O: those of each call when it enters an engine, and those of an
    /// operation when the engine is created.
    ///
    /// The deadline is not validated: a deadline that has passed ends the call with the code `timeout`.
    ///
    /// - Throws: ``NetworkError`` with the code ``NetworkError/misconfigured``. The message contains the property.
    package func validate() throws(NetworkError) {
        if let retry {
            do throws(NetworkError) { try retry.validate() } catch { throw error.within("retry") }
        }
        if let limits {
            do throws(NetworkError) { try limits.validate() } catch { throw error.within("limits") }
        }
        try NetworkError.require((responseLimit ?? 0) >= 0, "responseLimit", "must be 0 or more")
        try NetworkError.require((jsonValueLimit ?? 0) >= 0, "jsonValueLimit", "must be 0 or more")
        if let idempotencyKey {
            try NetworkError.require(
                HTTPRequest.problem(of: HTTPField(.idempotencyKey, idempotencyKey)) == nil, "idempotencyKey",
                "must not be empty or contain control characters")
        }
    }

    /// The error of ``validate()``; `nil` if the options are valid. Most calls set no option that can be invalid.
    @inline(__always)
    var problem: NetworkError? {
        guard
            retry != nil || limits != nil || idempotencyKey != nil || responseLimit != nil
                || jsonValueLimit != nil
        else { return nil }
        do throws(NetworkError) {
            try validate()
            return nil
        } catch { return error }
    }
}
