public import GatewayCore

/// Which redirects are followed, and which fields they carry.
public struct RedirectPolicy: Hashable, Sendable {
    /// The maximum number of hops of one call, 0 or more; with 0 every 3xx is returned.
    public var maximumHops: Int
    /// The fields that are sent to another origin. All others are removed, such as cookies, API keys and
    /// idempotency keys. Why an allowlist: a denylist would be incomplete.
    public var crossOriginFields: Set<HTTPField.Name>

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumHops: 0 or more; defaults to 10.
    ///   - crossOriginFields: defaults to the fields that describe the requested and the sent content, and `User-Agent`.
    public init(
        maximumHops: Int = 10,
        crossOriginFields: Set<HTTPField.Name> = [
            .accept, "Accept-Encoding", "Accept-Language", .contentType, "Content-Encoding",
            "Content-Language",
            .userAgent,
        ]
    ) {
        self.maximumHops = maximumHops
        self.crossOriginFields = crossOriginFields
    }

    /// Follows no redirects: every 3xx is returned unchanged.
    public static let none = RedirectPolicy(maximumHops: 0)

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(maximumHops >= 0, "maximumHops", "must be 0 or more")
    }
}
