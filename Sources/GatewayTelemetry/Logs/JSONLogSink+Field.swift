extension JSONLogSink {
    /// A field of a line of the log. No field has a secret: there is none for queries, paths, bodies, tokens, messages of
    /// errors, and for header values but the ID of ``requestID``.
    @nonexhaustive
    public enum Field: String, CaseIterable, Hashable, Sendable {
        /// The time in UTC (RFC 3339), with milliseconds.
        case time
        /// The level.
        case level
        /// What happened.
        case event
        /// The trace ID, 32 hexadecimal digits (W3C Trace Context).
        case traceID = "trace_id"
        /// The ID of the span that the call belongs to, its own or its caller's, 16 hexadecimal digits.
        case spanID = "span_id"
        /// The ID of the call, 16 hexadecimal digits.
        case callID = "call_id"
        /// The ID of the operation.
        case operation
        /// The path with its parameters in braces.
        case template
        /// The method.
        case method
        /// The scheme, host and port of the server.
        case origin
        /// The status of the response.
        case status
        /// The code of the error.
        case error
        /// The code of the error behind ``error``, such as `connection_refused` for `token_unavailable`.
        case cause
        /// The error code that the authorization server returned, such as `invalid_client`, if it is a registered one.
        case serverError = "server_error"
        /// The ID that the server gave to the request, filtered as ``GatewayCore/RequestEvent/requestID`` says.
        case requestID = "request_id"
        /// The phase in which an attempt failed.
        case phase
        /// The number of the attempt within its call, or of the consecutive failures of token requests, from 1.
        case attempt
        /// Why the attempt was made.
        case attemptReason = "attempt_reason"
        /// The number of attempts of a call that ended.
        case attempts
        /// The duration of a call, an attempt or an exchange, in milliseconds.
        case duration = "duration_ms"
        /// The time until a retry or a turn, or that a hedge waited, in milliseconds.
        case delay = "delay_ms"
        /// The time that was waited for a credential, a permit, a turn or a connection, in milliseconds.
        case waited = "waited_ms"
        /// Why something was done or not done.
        case reason
        /// The origin that a redirect leads to.
        case target
        /// The origin that failed, if it is not that of the request: of a token endpoint, or of a redirect's target.
        case failedOrigin = "failed_origin"
        /// The generation of a token.
        case generation
        /// The number of calls that wait for a token.
        case waitingCalls = "waiting_calls"
        /// The lifetime of a token, in seconds.
        case lifetime = "lifetime_s"
        /// The name of a circuit breaker.
        case circuit
        /// What the network has become: `online`, `offline`, `moved`, or its quality.
        case network
        /// The name of a rate limit.
        case limitName = "limit_name"
        /// The limit of calls in progress.
        case limit
        /// The name of a header field.
        case field
        /// The attempt that won: the first one, the hedge, or none.
        case winner
        /// What the cache has for the request: `hit`, `stale`, `miss` or `revalidated`.
        case cache
        /// The name of the step of a fallback that answered.
        case step
        /// The size of a stored body.
        case bytes
        /// The number of an entry of the offline queue.
        case entry
        /// How an attempt of an entry ended, or the state that entries have now.
        case result
        /// How long something is suspended or rejected, in milliseconds.
        case suspension = "suspended_ms"
        /// The rate of calls that time out, from 0 to 1.
        case rate
        /// The number of calls that a rate is computed of, of calls that wait, of scopes that are missing, of stored
        /// responses that were removed, of entries of the queue, of lines that were dropped or omitted, or of
        /// coordinators that request the same token.
        case count
        /// The `event` of lines that were omitted.
        case kind
    }
}
