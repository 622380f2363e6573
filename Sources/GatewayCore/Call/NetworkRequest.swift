/// A request that knows what its answer means: the typed form for calls written by hand.
///
/// ```swift
/// struct GetBook: NetworkRequest {
///     let id: Int
///     func httpRequest() throws(NetworkError) -> HTTPRequest { try HTTPRequest(.get, "https://api.example.com/books/\(id)") }
///     func decode(_ response: HTTPResponse) throws -> Book { try JSONDecoder().decode(Book.self, from: Data(response.body.bytes ?? [])) }
/// }
/// let book = try await engine.send(GetBook(id: 7))
/// ```
public protocol NetworkRequest: Sendable {
    /// What a successful answer holds.
    associatedtype Response: Sendable

    /// The request as it goes out.
    func httpRequest() throws(NetworkError) -> HTTPRequest
    /// Reads an accepted answer. What it throws reaches the caller as ``NetworkError/decodingFailed``.
    func decode(_ response: HTTPResponse) throws -> Response
    /// Whether a status is an answer to ``decode(_:)`` or an error. By default 200 to 299.
    func accepts(status: Int) -> Bool
}

extension NetworkRequest {
    /// 200 to 299.
    public func accepts(status: Int) -> Bool { status >= 200 && status < 300 }
}

extension RequestEngine {
    /// Makes a typed call.
    ///
    /// - Throws: ``NetworkError``; with code ``NetworkError/unacceptableStatus`` where the request does not
    ///   accept the status, ``NetworkError/decodingFailed`` where it cannot read the answer.
    public func send<Request: NetworkRequest>(
        _ request: Request, options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Request.Response {
        let response = try await send(try request.httpRequest(), options: options)
        guard request.accepts(status: response.status) else {
            throw NetworkError(
                .unacceptableStatus, "The service answered \(response.status).",
                origin: response.exchange.origin, status: response.status,
                attempts: response.exchange.attempts, mayHaveBeenSent: true)
        }
        do {
            return try request.decode(response)
        } catch {
            throw NetworkError(
                .decodingFailed, "The response could not be decoded: \(type(of: error)).",
                origin: response.exchange.origin, status: response.status,
                attempts: response.exchange.attempts, mayHaveBeenSent: true, underlying: error)
        }
    }
}
