import GatewayCore
import GatewayJSON

/// Whether a response rejects the token of its request.
extension HTTPResponse {
    /// The maximum size in bytes of a body that is searched for an error. Streamed bodies are not read.
    private static var maximumBytes: Int { 16 << 10 }

    /// Whether the response rejects the token, so that a newer one may be accepted.
    ///
    /// - Parameters:
    ///   - scheme: the scheme of the request's credential. If challenges of this scheme have errors, errors of other
    ///     schemes are ignored.
    ///   - statuses: the statuses besides 401 that reject the token if the response has the error `invalid_token`.
    func rejectsToken(scheme: String, statuses: Set<Int>) -> Bool {
        if status == 401 { return fields.rejectToken(scheme: scheme) }
        guard statuses.contains(status) else { return false }
        let errors = fields.errors(scheme: scheme)
        return errors.isEmpty ? bodyError == "invalid_token" : errors.contains("invalid_token")
    }

    /// The member `error` of a collected body that is a JSON object.
    private var bodyError: String? {
        guard let bytes = body.bytes, !bytes.isEmpty, bytes.count <= Self.maximumBytes else { return nil }
        let limits = JSONLimits(depth: 16, bytes: bytes.count)
        return (try? JSONValue(jsonBytes: bytes, limits: limits))?["error"]?.string
    }
}

extension HTTPFields {
    /// The errors of a 401 for which a refresh is useless. `insufficient_user_authentication` (RFC 9470 §3) requires
    /// that the user authenticates again; a refresh does not change the user authentication. The others are about the
    /// DPoP proof, not about the token (RFC 9449 §7.1, §9).
    private static var lastingErrors: Set<String> {
        ["insufficient_user_authentication", "use_dpop_nonce", "invalid_dpop_proof"]
    }

    /// Whether the fields of a 401 reject the token, so that a newer one may be accepted.
    ///
    /// - Parameter scheme: the scheme of the request's credential.
    func rejectToken(scheme: String) -> Bool {
        let errors = errors(scheme: scheme)
        return errors.isEmpty || !errors.allSatisfy(Self.lastingErrors.contains)
    }

    fileprivate func errors(scheme: String) -> [String] {
        let challenges = tokenChallenges.filter { $0["error"] != nil }
        let own = challenges.filter { $0.isScheme(scheme) }
        return (own.isEmpty ? challenges : own).compactMap { $0["error"] }
    }
}

extension CredentialSource {
    /// The renewable part, if its slot is known, and the scheme that it is sent with.
    var rejectable: (slot: SlotCredentialSource, scheme: String)? {
        let source: any CredentialSource = (self as? any CompositeCredentialSource)?.renewed ?? self
        if let bound = source as? BoundCredentialSource { return (bound.base, "DPoP") }
        return (source as? SlotCredentialSource).map { ($0, "Bearer") }
    }

    /// Whether a response rejects this credential, so that a newer one may be accepted.
    func isRejected(by response: HTTPResponse) -> Bool {
        let part = rejectable
        return response.rejectsToken(
            scheme: part?.scheme ?? "Bearer", statuses: part?.slot.reach.rejectionStatuses ?? [])
    }
}
