public import GatewayCore

/// Which redirects are followed, and what goes along.
public struct RedirectPolicy: Hashable, Sendable {
    /// The most hops of one call; 0 follows none and returns every 3xx.
    public var maximumHops: Int
    /// The fields that go along to another origin. Everything else stays: cookies, API keys, idempotency keys, and
    /// whatever else a list of forbidden fields would have forgotten.
    public var crossOriginFields: Set<HTTPField.Name>

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumHops: 10, as many as any sound service needs.
    ///   - crossOriginFields: what describes the wanted content and the content that is sent.
    public init(
        maximumHops: Int = 10,
        crossOriginFields: Set<HTTPField.Name> = [
            .accept, "Accept-Encoding", "Accept-Language", .contentType, "Content-Encoding",
            "Content-Language",
            .userAgent,
        ]
    ) {
        self.maximumHops = max(0, maximumHops)
        self.crossOriginFields = crossOriginFields
    }

    /// Follows none: every 3xx is returned as it is.
    public static let none = RedirectPolicy(maximumHops: 0)
}
