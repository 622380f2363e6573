import GatewayCore

// An engine contains custom engines, whose values must not be printed.
extension AsyncRequestEngine: Redacted {}
extension AsyncRequestEngine.Configuration: Redacted {}
extension AsyncRequestEngine.Configuration.Protection: Redacted {}
extension AsyncRequestEngine.Configuration.Retry: Redacted {}
extension CoalescingEngine: Redacted {}
extension RedirectEngine: Redacted {}
extension RetryEngine: Redacted {}
extension RetryExecutor: Redacted {}
extension StrictTransportRecorder: Redacted {}

// It contains the query, the fields and the body of a request.
extension RequestIdentity: Redacted {}
