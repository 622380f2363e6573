/// The origin of a failure. ``ErrorGuidance`` says how to react.
@nonexhaustive
public enum ErrorCategory: String, Hashable, Sendable {
    /// This machine or its environment: no network, DNS, TLS, pinning.
    case device
    /// A failure that may end by itself: overload, rate limits, timeouts, lost connections.
    case transient
    /// A failure that does not end by itself: the request or the program must change.
    case permanent
    /// The service understood the request and rejected it by its own rules: conflict, quota, validation.
    case business
    /// The credential is missing, expired or rejected.
    case authentication

    /// The category of an HTTP status (RFC 9110 §15, RFC 4918 §11, RFC 6585).
    public init(status: Int) {
        switch status {
        case 401, 403, 407, 511: self = .authentication
        case 402, 409, 412, 422, 423, 424: self = .business
        case 408, 425, 429, 500, 502, 503, 504: self = .transient
        default: self = .permanent
        }
    }
}
