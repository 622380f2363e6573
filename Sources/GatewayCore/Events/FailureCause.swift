/// Why a call or a token request failed, as events say it: codes and places, without the message of the error.
public struct FailureCause: Hashable, Sendable {
    /// The code of the error.
    public let code: NetworkError.Code
    /// The phase in which it happened, if it is known.
    public let phase: NetworkError.Phase?
    /// The origin that failed, if it is known: for a token, that of the token endpoint; after a redirect, that of its
    /// target.
    public let origin: Origin?
    /// The HTTP status that caused the error, if any.
    public let status: Int?
    /// The code of the error behind this one, if there is one with another code: `connectionRefused` for a
    /// `tokenUnavailable` whose endpoint refused the connection.
    public let underlying: NetworkError.Code?
    /// The error code that the authorization server returned (RFC 6749 §5.2), if it is a registered one, such as
    /// `invalid_client`.
    public let serverCode: String?

    /// The ID that the authorization server gave to a token request, from the header fields
    /// ``HTTPField/Name/requestIDs``. See ``RequestEvent/requestID`` for the values and for the requests of calls.
    public let requestID: String?

    /// Creates a cause.
    public init(
        _ code: NetworkError.Code, phase: NetworkError.Phase? = nil, origin: Origin? = nil,
        status: Int? = nil, underlying: NetworkError.Code? = nil, serverCode: String? = nil,
        requestID: String? = nil
    ) {
        self.code = code
        self.phase = phase
        self.origin = origin
        self.status = status
        self.underlying = underlying
        self.serverCode = serverCode
        self.requestID = requestID
    }

    /// The cause that an error states.
    public init(_ error: NetworkError) { self.init(error, serverCode: nil, requestID: nil) }

    /// The cause that an error states, with what the authorization server said.
    package init(_ error: NetworkError, serverCode: String?, requestID: String?) {
        let underlying = (error.underlying as? NetworkError)?.code
        self.init(
            error.code, phase: error.phase, origin: error.origin, status: error.status,
            underlying: underlying == error.code ? nil : underlying, serverCode: serverCode,
            requestID: requestID)
    }
}
