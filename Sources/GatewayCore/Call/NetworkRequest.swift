/// A request that decodes its own response: the typed form of calls without a document.
///
/// ``HTTPResponse/text()``, `json(_:)` and ``HTTPResponse/decoded(_:)`` read the body.
///
/// ```swift
/// struct GetBook: NetworkRequest {
///     let id: Int
///     func httpRequest() throws(NetworkError) -> HTTPRequest { try HTTPRequest(.get, "https://api.example.com/books/\(id)") }
///     func decode(_ response: HTTPResponse) throws -> Book { try response.json(Book.self) }
/// }
/// let book = try await engine.send(GetBook(id: 7))
/// ```
public protocol NetworkRequest: Sendable {
    /// The decoded value of a successful response.
    associatedtype Response: Sendable

    /// The request to send.
    func httpRequest() throws(NetworkError) -> HTTPRequest
    /// Decodes an accepted response. An error thrown here reaches the caller as ``NetworkError/decodingFailed``.
    func decode(_ response: HTTPResponse) throws -> Response
    /// Whether a response with this status is decoded; other statuses are errors. By default 200 to 299.
    func accepts(status: Int) -> Bool
}

extension NetworkRequest {
    /// 200 to 299.
    public func accepts(status: Int) -> Bool { status >= 200 && status < 300 }
}

extension RequestEngine {
    /// Makes a typed call.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/unacceptableStatus`` where the request does not
    ///   accept the status, or ``NetworkError/decodingFailed`` where it cannot decode the response. Both keep the
    ///   ``NetworkError/response``.
    public func send<Request: NetworkRequest>(
        _ request: Request, options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Request.Response {
        var message = try made(request, options)
        var context = prepare(&message, options, nil, nil)
        // It is recorded here, when the response is decoded.
        context.isEndedByCaller = true
        let response = try await send(message, context: consume context)
        guard request.accepts(status: response.status) else {
            response.ending?.end(nil)
            throw failure(.unacceptableStatus, "The service answered \(response.status).", response)
        }
        do {
            let value = try request.decode(response)
            response.ending?.end(nil)
            return value
        } catch {
            response.ending?.end(
                FailureCause(.decodingFailed, origin: response.exchange.origin, status: response.status))
            // What the accessors of a response throw says already which response it was.
            if let error = error as? NetworkError, error.code == .decodingFailed, error.response != nil {
                throw error
            }
            throw failure(
                .decodingFailed, "The response could not be decoded: \(type(of: error)).", response, error)
        }
    }

    /// The request. A call that fails here is counted, too.
    private func made(
        _ request: some NetworkRequest, _ options: CallOptions
    ) throws(NetworkError) -> HTTPRequest {
        do throws(NetworkError) { return try request.httpRequest() } catch {
            let services = services
            RequestContext(options: options, clock: services.clock).recordRefusal(
                error, of: .get, at: nil, to: services.events?.sink)
            throw error
        }
    }

    private func failure(
        _ code: NetworkError.Code, _ message: String, _ response: HTTPResponse, _ error: (any Error)? = nil
    ) -> NetworkError {
        NetworkError(
            code, message, origin: response.exchange.origin,
            retryAfter: response.fields.retryAfter(at: services.clock.unixTime),
            response: FailedResponse(response, decodingError: error), attempts: response.exchange.attempts,
            mayHaveBeenSent: true, underlying: error)
    }
}
