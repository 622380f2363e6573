public import GatewayCore

/// What makes two calls the same call: method, URL, fields, body, and whose credential they carry.
///
/// Calls that differ in any field, `Authorization`, `Cookie` and API keys included, are different calls; so are
/// calls of two credentials, tenants or epochs.
public struct RequestIdentity: Hashable, Sendable {
    private let method: HTTPMethod
    private let origin: Origin
    private let target: String
    private let fields: HTTPFields
    private let body: [UInt8]
    private let credential: CredentialIdentity?
    private let response: ResponseMode
    /// Made once: an identity is looked up several times.
    private let digest: Int

    /// The identity of a call that may share another's answer; `nil` for one that may not: a method other than
    /// `GET` and `HEAD`, a body that is no bytes, a response
    /// that is read as a stream, a range, or `Cache-Control: no-store`.
    public init?(_ request: HTTPRequest, context: RequestContext) {
        guard request.method == .get || request.method == .head, let body = request.body.bytes,
            context.response != .stream,
            !request.fields.contains(.range),
            !Self.forbidsSharing(request.fields["Cache-Control"])
        else { return nil }
        method = request.method
        origin = request.origin
        target = request.target
        fields = request.fields
        self.body = body
        credential = context.credentials?.identity
        response = context.response
        var digest = SeededDigest()
        digest.combine(method.rawValue)
        digest.combine(origin.host)
        digest.combine(UInt64(origin.port))
        digest.combine(target)
        // Names compare without regard to case.
        for field in fields { digest.combine(field.value) }
        digest.combine(body)
        if let credential {
            digest.combine(credential.key)
            digest.combine(credential.epoch)
        }
        self.digest = digest.value
    }

    /// Feeds a digest of what `==` compares into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    private static func forbidsSharing(_ cacheControl: String?) -> Bool {
        guard let cacheControl else { return false }
        return cacheControl.split(separator: ",").contains {
            String($0).trimmingHTTPWhitespace().lowercased() == "no-store"
        }
    }
}
