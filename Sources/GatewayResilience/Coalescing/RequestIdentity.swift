public import GatewayCore

/// The identity of a call for coalescing: method, URL, fields, body, credential, and the call's own retry policy and limits.
///
/// Calls that differ in any field, including `Authorization`, `Cookie` and API keys, are different. Only `traceparent`,
/// `tracestate`, `baggage` and the named ID fields are ignored, so that traced calls share, too. Different are calls of
/// different credentials, tenants or epochs, and calls with different retry policies or limits of attempts: a call without
/// retries or with a shorter limit must not decide the outcome of another.
public struct RequestIdentity: Hashable, Sendable {
    /// On the heap: an identity is copied more often than it is made.
    private final class Storage: Sendable {
        let method: HTTPMethod
        let origin: Origin
        let target: String
        let fields: HTTPFields
        let body: [UInt8]
        let credential: CredentialIdentity?
        let response: ResponseMode
        let limits: AttemptLimits?
        let retry: (any RetryPolicy & Equatable)?
        /// Computed once: an identity is looked up several times.
        let digest: Int

        init(
            _ request: HTTPRequest, fields: HTTPFields, body: [UInt8],
            retry: (any RetryPolicy & Equatable)?, context: RequestContext
        ) {
            self.retry = retry
            method = request.method
            origin = request.origin
            target = request.target
            self.fields = fields
            self.body = body
            credential = context.credentials?.identity
            response = context.response
            limits = context.limits
            var digest = SeededDigest()
            digest.combine(method.rawValue)
            digest.combine(origin.host)
            digest.combine(UInt64(origin.port))
            digest.combine(target)
            // Names are compared case-insensitively.
            for field in fields { digest.combine(field.value) }
            digest.combine(body)
            if let credential {
                digest.combine(credential.key)
                digest.combine(credential.epoch)
            }
            self.digest = digest.value
        }

        func isSame(_ other: Storage) -> Bool {
            self === other
                || digest == other.digest && method == other.method && origin == other.origin
                    && target == other.target && fields == other.fields && body == other.body
                    && credential == other.credential && response == other.response
                    && limits == other.limits
                    && Self.isSame(retry, other.retry)
        }

        private static func isSame(
            _ a: (any RetryPolicy & Equatable)?, _ b: (any RetryPolicy & Equatable)?
        ) -> Bool {
            guard let a, let b else { return a == nil && b == nil }
            func isEqual<Policy: RetryPolicy & Equatable>(_ policy: Policy) -> Bool {
                b as? Policy == policy
            }
            return isEqual(a)
        }
    }

    private let storage: Storage

    /// The identity of a call that may share the response of another; `nil` for a call that may not: with a method other
    /// than `GET` and `HEAD`, a body that is not held as bytes, a streamed response, `Range`, `Cache-Control: no-store`, or
    /// a retry policy that is not `Equatable`.
    ///
    /// - Parameter ignored: the names of fields that tell calls apart and have no effect on their responses, such as
    ///   `X-Request-ID`. Trace fields are ignored in any case.
    public init?(_ request: HTTPRequest, context: RequestContext, ignoring ignored: [HTTPField.Name] = []) {
        guard request.method == .get || request.method == .head, let body = request.body.bytes,
            context.response != .stream,
            !request.fields.contains(.range),
            !Self.forbidsSharing(request.fields["Cache-Control"])
        else { return nil }
        var retry: (any RetryPolicy & Equatable)?
        if let policy = context.retry {
            guard let comparable = policy as? any RetryPolicy & Equatable else { return nil }
            retry = comparable
        }
        storage = Storage(
            request, fields: Self.fields(of: request, ignoring: ignored), body: body, retry: retry,
            context: context)
    }

    private static let traceFields: [HTTPField.Name] = [.traceparent, .tracestate, .baggage]

    /// The fields that count.
    private static func fields(of request: HTTPRequest, ignoring ignored: [HTTPField.Name]) -> HTTPFields {
        func isIgnored(_ name: HTTPField.Name) -> Bool {
            traceFields.contains(name) || !ignored.isEmpty && ignored.contains(name)
        }
        guard request.fields.contains(where: { isIgnored($0.name) }) else { return request.fields }
        var fields = HTTPFields()
        for field in request.fields where !isIgnored(field.name) { fields.append(field) }
        return fields
    }

    /// Whether two calls are equal.
    public static func == (a: Self, b: Self) -> Bool { a.storage.isSame(b.storage) }

    /// Hashes a digest of the parts that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.digest) }

    private static func forbidsSharing(_ cacheControl: String?) -> Bool {
        guard let cacheControl else { return false }
        return cacheControl.split(separator: ",").contains {
            String($0).trimmingHTTPWhitespace().lowercased() == "no-store"
        }
    }
}
