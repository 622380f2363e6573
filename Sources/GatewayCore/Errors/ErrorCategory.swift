/// What kind of failure an error or a status is, and so what one can do about it.
@nonexhaustive
public enum ErrorCategory: String, Hashable, Sendable {
    /// This machine or its surroundings: no network, DNS, TLS, pinning.
    case device
    /// May pass by itself: overload, rate limits, timeouts, broken connections.
    case transient
    /// Will not pass by itself: the request or the program has to change.
    case permanent
    /// The service understood and declined for reasons of its domain: conflict, quota, validation.
    case business
    /// The credential is missing, expired or not accepted.
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

    /// A short sentence fit for people who did not write the program.
    public var messageForPeople: String {
        switch self {
        case .device: "There is a problem with the connection. Check the network and try again."
        case .transient: "The service is busy or unreachable at the moment. Please try again shortly."
        case .permanent: "The request could not be completed."
        case .business: "The service declined the request."
        case .authentication: "Please sign in again."
        }
    }
}
