/// The recommended reaction of the caller to a failed call.
///
/// It is determined by the status of the response if the status is the reason, otherwise by the code:
/// ```swift
/// switch error.guidance {
/// case .retry: schedule(after: error.retryAfter ?? .seconds(30))
/// case .signIn: showSignIn()
/// default: show(error.messageForPeople)
/// }
/// ```
@nonexhaustive
public enum ErrorGuidance: String, Hashable, Sendable {
    /// Make the same call again later, after ``GatewayCallError/retryAfter`` if it is set. Whether it is *safe* to send
    /// the request again is a different question: see ``GatewayCallError/mayHaveBeenSent``.
    case retry
    /// Sign in again, or replace the credential.
    case signIn
    /// Request permission or more quota: the credential was accepted but does not cover this request.
    case requestAccess
    /// Change the request: the same request fails again.
    case correctRequest
    /// Report the failure to the engineers: the configuration, the program, the API document or the service has an
    /// error.
    case report
    /// Do nothing: the caller cancelled the call.
    case ignore

    /// The guidance for an HTTP status (RFC 9110 §15, RFC 6585).
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - retryAfter: the delay that the response requests. With it, any status of 400 and above except 401 and 511 is
    ///     ``retry``, because services also respond with 403 or 413 when a limit is exceeded.
    public init(status: Int, retryAfter: Duration? = nil) {
        switch status {
        case 401, 511: self = .signIn
        case 400... where retryAfter != nil: self = .retry
        case 402, 403: self = .requestAccess
        case 407: self = .report
        case 408, 423, 425, 429, 502, 503, 504: self = .retry
        case 400...499: self = .correctRequest
        // 500 is usually a defect that each attempt runs into again. A status below 400 here is an undocumented one.
        default: self = .report
        }
    }

    /// The guidance for a code that defines none.
    init(category: ErrorCategory, isTransient: Bool) {
        switch category {
        case _ where isTransient: self = .retry
        case .transient: self = .retry
        case .business: self = .correctRequest
        case .authentication: self = .signIn
        case .device, .permanent: self = .report
        }
    }

    /// A short sentence in English for the users of the program.
    ///
    /// - Parameter category: the category of the same error.
    func messageForPeople(_ category: ErrorCategory) -> String {
        switch self {
        case .retry where category == .device:
            "There is a problem with the connection. Check the network and try again."
        case .retry: "The service is busy or unreachable at the moment. Please try again shortly."
        case .signIn: "Please sign in again."
        case .requestAccess: "You do not have permission to do this."
        case .correctRequest where category == .business: "The service declined the request."
        case .report where category == .device: "A secure connection to the service could not be made."
        case .correctRequest, .report: "The request could not be completed."
        case .ignore: "The request was cancelled."
        }
    }
}
