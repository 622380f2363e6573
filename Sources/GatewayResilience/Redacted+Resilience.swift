import GatewayCore

// An engine holds the engines below it, which may be the user's own.
extension AsyncRequestEngine: Redacted {}
extension AsyncRequestEngine.Configuration: Redacted {}
extension AsyncRequestEngine.Configuration.Protection: Redacted {}
extension AsyncRequestEngine.Configuration.Retry: Redacted {}
extension CoalescingEngine: Redacted {}
extension RedirectEngine: Redacted {}
extension RetryEngine: Redacted {}
extension RetryExecutor: Redacted {}
extension StrictTransportRecorder: Redacted {}

// It holds the query, the fields and the body of a request.
extension RequestIdentity: Redacted {}
