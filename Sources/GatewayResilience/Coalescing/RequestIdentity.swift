public import GatewayCore

/// The identity of a call for coalescing: method, URL, fields, body, credential, and the call's own retry
/// policy and limits.
///
/// Calls that differ in any field, including `Authorization`, `Cookie` and API keys, are different. Only
/// `traceparent`, `tracestate`, `baggage` and the named ID fields are ignored, so that traced calls share
/// responses too.
///
/// Calls are also different if they differ in their credential, tenant, epoch, cache mode, retry policy,
/// attempt limits, circuit breaker, handling of rate limits, use of the bulkhead, or if only one of them
/// follows redirects: a call without retries or with a shorter limit must not decide the outcome of another.
public struct RequestIdentity: Hashable, Sendable {
    // Request and context are stored whole: each is one pointer.
    private let request: HTTPRequest
    let context: RequestContext
    private let ignored: [HTTPField.Name]
    /// Computed once, because an identity is looked up several times.
    let digest: Int

    /// The identity of a call that may share the response of another.
    ///
    /// It is `nil` for a call that may not: one with a method other than `GET` and `HEAD`, a body that is
    /// not held as bytes, a streamed response, `Range`, or a retry policy that is not `Equatable`; and one
    /// whose cache mode or `Cache-Control: no-store` or `no-cache` requires a new response, because an equal
    /// call in progress may have been answered before it began.
    ///
    /// - Parameter ignored: the names of fields that identify calls and have no effect on their responses,
    ///   such as `X-Request-ID`. Trace fields are always ignored.
    public init?(_ request: HTTPRequest, context: RequestContext, ignoring ignored: [HTTPField.Name] = []) {
        guard request.method == .get || request.method == .head, let body = request.body.bytes,
            context.response != .stream, context.cache == .standard || context.cache == .forceCache,
            !request.fields.contains(.range),
            !Self.forbidsSharing(request.fields["Cache-Control"])
        else { return nil }
        if let policy = context.retry, !(policy is any RetryPolicy & Equatable) { return nil }
        self.init(request, context, ignored, Self.digest(request, body, context, ignored))
    }

    private init(
        _ request: HTTPRequest, _ context: RequestContext, _ ignored: [HTTPField.Name], _ digest: Int
    ) {
        self.request = request
        self.context = context
        self.ignored = ignored
        self.digest = digest
    }

    /// Whether the request has this URI.
    func isRequest(to origin: Origin, _ target: String) -> Bool {
        request.target == target && request.origin == origin
    }

    private static func digest(
        _ request: HTTPRequest, _ body: [UInt8], _ context: RequestContext, _ ignored: [HTTPField.Name]
    ) -> Int {
        let origin = request.origin
        var digest = WordDigest.seeded
        digest.combine(request.method.rawValue)
        digest.combine(origin.host)
        digest.combine(UInt64(origin.port))
        digest.combine(request.target)
        // Names are compared case-insensitively.
        for field in request.fields where !isIgnored(field.name, ignored) { digest.combine(field.value) }
        digest.combine(body)
        if let credential = context.credentials?.identity {
            digest.combine(credential.key)
            digest.combine(credential.epoch)
        }
        return Int(truncatingIfNeeded: digest.value)
    }

    private static let traceFields: [HTTPField.Name] = [.traceparent, .tracestate, .baggage]

    private static func isIgnored(_ name: HTTPField.Name, _ ignored: [HTTPField.Name]) -> Bool {
        traceFields.contains(name) || !ignored.isEmpty && ignored.contains(name)
    }

    /// Whether the fields are equal, without ignored ones.
    private static func hasEqualFields(_ a: Self, _ b: Self) -> Bool {
        a.request.fields == b.request.fields
            || a.request.fields.lazy.filter { !isIgnored($0.name, a.ignored) }
                .elementsEqual(b.request.fields.lazy.filter { !isIgnored($0.name, b.ignored) })
    }

    /// Whether two calls are equal.
    public static func == (a: Self, b: Self) -> Bool {
        guard a.digest == b.digest else { return false }
        if a.request.isIdentical(to: b.request), a.context.isIdentical(to: b.context) { return true }
        return a.request.method == b.request.method && a.request.origin == b.request.origin
            && a.request.target == b.request.target && a.request.body.bytes == b.request.body.bytes
            && hasEqualFields(a, b) && a.context.credentials?.identity == b.context.credentials?.identity
            && a.context.response == b.context.response && a.context.limits == b.context.limits
            && a.context.hasSameChoices(as: b.context)
            && a.context.followsRedirects == b.context.followsRedirects
            && a.context.isLimitedByDeadlineAlone == b.context.isLimitedByDeadlineAlone
            && isSame(a.context.retry, b.context.retry)
    }

    private static func isSame(_ a: (any RetryPolicy)?, _ b: (any RetryPolicy)?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        func isEqual<Policy: RetryPolicy & Equatable>(_ policy: Policy) -> Bool { b as? Policy == policy }
        guard let a = a as? any RetryPolicy & Equatable else { return false }
        return isEqual(a)
    }

    /// Hashes a digest of the parts that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    private static func forbidsSharing(_ cacheControl: String?) -> Bool {
        guard let cacheControl else { return false }
        return cacheControl.split(separator: ",").contains {
            let directive = String($0).trimmingHTTPWhitespace().lowercased()
            return directive == "no-store" || directive == "no-cache"
        }
    }
}
