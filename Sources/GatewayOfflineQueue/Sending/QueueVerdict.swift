public import GatewayCore

/// The effect of a response on its entry.
@nonexhaustive
public enum QueueVerdict: Hashable, Sendable {
    /// The server has accepted the request.
    case done
    /// The same request is sent again later; no earlier than after the duration, if the server requests one.
    case retry(after: Duration?)
    /// The credential is not valid: the entries of the account wait until it signs in again.
    case park
    /// The request can never succeed. It is set aside and does not hold back others.
    case poison
}

extension QueueVerdict {
    /// The facts about a response.
    public struct Facts: Sendable {
        /// The status.
        public var status: Int
        /// The header fields of the response.
        public var fields: HTTPFields
        /// Whether the server may have received the request in an earlier attempt.
        public var wasSentBefore: Bool
        /// The current wall-clock time, for `Retry-After`.
        public var unixTime: Duration

        /// Creates the facts.
        public init(status: Int, fields: HTTPFields, wasSentBefore: Bool, unixTime: Duration) {
            self.status = status
            self.fields = fields
            self.wasSentBefore = wasSentBefore
            self.unixTime = unixTime
        }
    }

    /// Returns the default verdict for a status.
    ///
    /// 2xx is done. 401 parks the account. 408, 421, 425, 429, 5xx, 407 and 511 (which come from a proxy or
    /// a captive portal) are retried, except 501 and 505, and except a 5xx that the server replays for the
    /// idempotency key, because it is the same each time. 409 is retried if an earlier attempt may be in
    /// progress (draft-ietf-httpapi-idempotency-key-header-07, section 2.6). Everything else is poison.
    ///
    /// A 307 or 308 within the origin of the request is followed before the verdict. Every other redirect is
    /// poison, including a 303, which may lead to a login page. A custom verdict can treat a 303 as done.
    /// Retrying such an entry may repeat the effect: see ``OfflineQueueEngine/retry(_:)``.
    public init(_ facts: Facts) {
        let after = facts.fields.retryAfter(at: facts.unixTime)
        switch facts.status {
        case 200..<300: self = .done
        case 401: self = .park
        case 409: self = facts.wasSentBefore || after != nil ? .retry(after: after) : .poison
        case 407, 408, 421, 425, 429, 511: self = .retry(after: after)
        case 501, 505: self = .poison
        case 500..<600: self = facts.isReplayed ? .poison : .retry(after: after)
        default: self = .poison
        }
    }
}

extension QueueVerdict.Facts {
    /// Whether the server repeats the stored response of an earlier attempt.
    var isReplayed: Bool {
        fields["Idempotent-Replayed"] == "true" || fields["Idempotency-Replayed"] == "true"
    }
}
