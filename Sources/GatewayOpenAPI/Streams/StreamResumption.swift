internal import GatewayCore

/// How a stream of server-sent events goes on after its connection was lost.
///
/// The call is made again with the ID of the last event in `Last-Event-ID` (WHATWG HTML, section 9.2.4), so that the server sends
/// what came after it. Before each call there is a random wait: up to the time that the server named in `retry`, or 1 s, and
/// after each further failure up to double the time.
public struct StreamResumption: Hashable, Sendable {
    /// How many calls in a row may fail, or lose their connection before an event came. Then the stream throws the last error.
    /// 10, which is about a minute.
    public var attempts = 10
    /// The longest wait before a call, whatever `retry` or `Retry-After` say. 10 s.
    public var longestDelay: Duration = .seconds(10)

    /// The defaults.
    public init() {}

    /// The first wait without a word of the server.
    private static let delay = Duration.seconds(1)

    /// The longest wait before a call.
    ///
    /// - Parameters:
    ///   - failures: how many calls have failed in a row, 1 or more.
    ///   - retry: the time that the server named.
    func delay(afterFailures failures: Int, retry: Duration?) -> Duration {
        ExponentialBackoff(base: retry ?? Self.delay, longest: longestDelay).delay(after: failures)
    }

    /// The wait before a call: a share of the longest one, and as long as `Retry-After` says, within ``longestDelay``.
    ///
    /// - Parameters:
    ///   - share: a random number from 0 to 1.
    ///   - failures: how many calls have failed in a row, 1 or more.
    ///   - retry: the time that the server named.
    ///   - retryAfter: what `Retry-After` of the last response says.
    func wait(
        _ share: Double, afterFailures failures: Int, retry: Duration?, retryAfter: Duration?
    ) -> Duration {
        let random = delay(afterFailures: failures, retry: retry) * share
        return max(random, min(retryAfter ?? .zero, longestDelay))
    }
}
