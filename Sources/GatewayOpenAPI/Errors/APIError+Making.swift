public import GatewayCore
internal import GatewayJSON

extension APIError {
    /// Creates a documented failure, for tests of error handling.
    ///
    /// - Parameters:
    ///   - documented: the documented failure.
    ///   - response: the response; its `Retry-After` becomes ``retryAfter``.
    ///   - operation: the operation's name in the document.
    ///   - origin: the origin that responded.
    ///   - attempts: the number of attempts.
    public init(
        documented: Documented, response: FailedResponse, operation: String, origin: Origin? = nil,
        attempts: Int = 1
    ) {
        self.init(
            documented: documented, response: response, operation: operation, origin: origin,
            attempts: attempts, clock: SystemClock())
    }

    /// Creates the failure of a response that is not documented or does not match the document, for tests of error
    /// handling.
    ///
    /// - Parameters:
    ///   - response: the response; its `Retry-After` becomes ``retryAfter``.
    ///   - operation: the operation's name in the document.
    ///   - origin: the origin that responded.
    ///   - attempts: the number of attempts.
    public init(
        undocumented response: FailedResponse, operation: String, origin: Origin? = nil, attempts: Int = 1
    ) {
        self.init(
            undocumented: response, operation: operation, origin: origin, attempts: attempts,
            clock: SystemClock())
    }

    /// Creates the failure of a call without a usable response, for tests of error handling.
    ///
    /// - Parameters:
    ///   - error: the reason.
    ///   - operation: the operation's name in the document.
    ///   - response: the part of the response that was received.
    public init(failed error: NetworkError, operation: String, response: FailedResponse? = nil) {
        self.init(
            Values(
                failure: .failed(error), operation: operation, response: response ?? error.response,
                origin: error.origin, retryAfter: error.retryAfter, attempts: error.attempts))
    }

    init(
        documented: Documented, response: FailedResponse, operation: String, origin: Origin?, attempts: Int,
        advice: String = "", clock: any GatewayClock
    ) {
        self.init(
            Values(
                failure: .documented(documented), operation: operation, response: response, origin: origin,
                retryAfter: response.fields.retryAfter(at: clock.unixTime), attempts: attempts,
                advice: advice))
    }

    /// - Parameter place: what does not match the document; by default the body of the response.
    init(
        undocumented response: FailedResponse, place: String? = nil, operation: String, origin: Origin?,
        attempts: Int, advice: String = "", clock: any GatewayClock
    ) {
        var message = "The service answered \(response.status), which is not documented."
        if let error = response.decodingError {
            message = place ?? "The body of the \(response.status) response"
            message += " does not match the document: "
            // The text of other errors may contain parts of the response.
            message += (error as? JSONError).map { "\($0)" } ?? "\(type(of: error))"
        }
        self.init(
            Values(
                failure: .undocumented(response), operation: operation, response: response, origin: origin,
                retryAfter: response.fields.retryAfter(at: clock.unixTime), attempts: attempts,
                message: message, advice: advice))
    }

    /// Creates the failure of a call whose response was received in part.
    init(
        failed error: NetworkError, operation: String, response: HTTPResponse, body: [UInt8] = [],
        clock: any GatewayClock
    ) {
        self.init(
            Values(
                failure: .failed(error), operation: operation,
                response: FailedResponse(
                    status: response.status, fields: response.fields, body: body, isBodyTruncated: true),
                origin: error.origin ?? response.exchange.origin,
                retryAfter: error.retryAfter ?? response.fields.retryAfter(at: clock.unixTime),
                attempts: max(error.attempts, response.exchange.attempts)))
    }
}
