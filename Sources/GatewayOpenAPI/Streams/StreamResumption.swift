internal import GatewayCore

/// How a stream of server-sent events continues after the connection was lost, or after a response that ended.
///
/// The call is repeated with the ID of the last event in `Last-Event-ID` (WHATWG HTML, section 9.2.4), and the server
/// sends the events after it. Before each call there is a random delay between zero and a limit. The limit is the
/// reconnection time from the server's `retry` field, or 1 s, and is doubled after each further failure, up to
/// ``longestDelay``.
public struct StreamResumption: Hashable, Sendable {
    /// The maximum number of consecutive calls that fail, or lose their connection before an event. After that the
    /// stream throws the last error. Default: 10, which takes about a minute.
    public var attempts = 10
    /// The maximum delay before a call, also for `retry` and `Retry-After`. Default: 10 s.
    public var longestDelay: Duration = .seconds(10)

    /// Whether the call is also repeated after a response that ended normally, as browsers do (`EventSource`, WHATWG HTML,
    /// section 9.2.3): for servers that end each response after a time. Default: `false`.
    ///
    /// Such a stream ends with a status of 204, with `[DONE]`, with an error, and after ``attempts`` consecutive calls without
    /// an event. Without IDs the server decides which events the next response begins with.
    public var reconnectsAfterEnd = false

    /// Creates the default configuration.
    public init() {}

    /// The reconnection time if the server has sent none.
    private static let delay = Duration.seconds(1)

    /// The upper limit of the random delay before a call.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failed calls, at least 1.
    ///   - retry: the reconnection time from the server.
    func delay(afterFailures failures: Int, retry: Duration?) -> Duration {
        ExponentialBackoff(base: retry ?? Self.delay, longest: longestDelay).delay(after: failures)
    }

    /// The delay before a call: a random part of the upper limit, but at least `Retry-After`, and at most
    /// ``longestDelay``.
    ///
    /// - Parameters:
    ///   - share: a random number from 0 to 1.
    ///   - failures: the number of consecutive failed calls, at least 1.
    ///   - retry: the reconnection time from the server.
    ///   - retryAfter: the `Retry-After` of the last response.
    func wait(
        _ share: Double, afterFailures failures: Int, retry: Duration?, retryAfter: Duration?
    ) -> Duration {
        let random = delay(afterFailures: failures, retry: retry) * share
        return max(random, min(retryAfter ?? .zero, longestDelay))
    }
}
