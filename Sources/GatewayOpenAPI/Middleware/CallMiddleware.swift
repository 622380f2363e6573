public import GatewayCore

/// Sees the calls of a generated client: the operation, the request, the response and the typed error. It may change or
/// answer the request.
///
/// ```swift
/// struct TenantField: CallMiddleware {
///     let tenant: String
///
///     func willSend(_ request: inout HTTPRequest, of call: MiddlewareCall) async throws -> HTTPResponse? {
///         request.fields["X-Tenant"] = tenant
///         return nil
///     }
/// }
///
/// let api = BookshopClient(middleware: [TenantField(tenant: "a")])
/// ```
/// Each function has an empty default. Requests pass the middleware of a client from the first to the last, responses and
/// errors from the last to the first.
///
/// Middleware is above the engine. It sees a call once, whatever the number of attempts, redirects and stored
/// responses, and it never sees credentials and token requests: the engine adds credentials below it. Header fields that
/// the caller sets itself are visible.
public protocol CallMiddleware: Sendable {
    /// Called before a request is sent. The request is complete, except for credentials.
    ///
    /// The time counts against the deadline of the call, which does not end it. A request that was changed is validated
    /// again. If its origin was changed, the client's credentials are not sent there: such a call of a secured operation
    /// fails with the code `insecure_origin`.
    ///
    /// - Returns: the response if the request must not be sent; it is decoded as one of the server. The middleware after
    ///   this one sees neither request nor response. `nil` sends the request.
    /// - Throws: any error: nothing is sent, and the call fails with a ``GatewayCore/NetworkError``. Errors of other
    ///   types become one with the code `other`, and a `CancellationError` one with the code `cancelled`.
    func willSend(_ request: inout HTTPRequest, of call: MiddlewareCall) async throws -> HTTPResponse?

    /// Called with the response of any status, before it is decoded.
    ///
    /// The body of an operation that streams its response is a stream that can be read once, by the caller of the
    /// operation. All other bodies are bytes, unless the middleware that answered the call returned a stream.
    ///
    /// - Parameter request: the request as it was sent or answered, without credentials.
    func didReceive(_ response: HTTPResponse, to request: HTTPRequest, of call: MiddlewareCall) async

    /// Called with the error that a call throws: documented and undocumented failures, values that cannot be decoded, and
    /// calls without a response. All middleware sees it, also of a call whose request it did not see: one that failed
    /// before ``willSend(_:of:)``, or that another middleware answered or ended.
    ///
    /// Must not block: the call throws its error afterwards.
    func didFail(_ error: APIError<some DocumentedFailure>, of call: MiddlewareCall)
}

extension CallMiddleware {
    /// Default: sends the request unchanged.
    public func willSend(
        _ request: inout HTTPRequest, of call: MiddlewareCall
    ) async throws -> HTTPResponse? { nil }

    /// Default: does nothing.
    public func didReceive(
        _ response: HTTPResponse, to request: HTTPRequest, of call: MiddlewareCall
    ) async {}

    /// Default: does nothing.
    public func didFail(_ error: APIError<some DocumentedFailure>, of call: MiddlewareCall) {}
}

/// A call of a generated client, as its middleware sees it.
public struct MiddlewareCall: Hashable, Sendable {
    /// The operation: its ID, method and path template in the document.
    public let operation: Operation
    /// The ID of the call, the same as in its events (``GatewayCore/RequestEvent/callID``). Each page of a list, and each
    /// call of a stream that resumes, has another one. 0 if a list fails before its first call.
    public let id: UInt64

    /// Creates a call, for tests of middleware.
    public init(operation: Operation, id: UInt64 = 1) {
        self.operation = operation
        self.id = id
    }
}
