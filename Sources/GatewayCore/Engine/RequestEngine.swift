/// Sends calls, each with any number of exchanges.
///
/// Every status is a response, never an error; after the last retry it is the last response. Engines are layered: each
/// one depends only on the protocol of the layer below.
public protocol RequestEngine: Sendable {
    /// Makes the call and returns the last response.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - context: the context of the call. An engine that passes it on unchanged may declare the parameter as
    ///     `consuming`.
    func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse

    /// The services of the engine. An engine above another one returns the services of that engine, with its own
    /// changes. There is no default, because the layers above would lose the services that a layer does not pass on.
    var services: EngineServices { get }
}

extension RequestEngine {
    /// Makes a call: applies the options, creates the context, and sends the request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - options: the options of this call, over those of its operation.
    ///   - operation: the operation, for options, events and metrics.
    public func send(
        _ request: HTTPRequest, options: CallOptions = CallOptions(), operation: Operation? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        var request = request
        let context = prepare(&request, options, operation, nil)
        return try await send(request, context: consume context)
    }

    /// Makes a call and returns its response when the head has arrived; the body is read as a sequence. See
    /// ``ResponseMode/stream``.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - options: the options of this call, over those of its operation.
    ///   - operation: the operation, for options, events and metrics.
    public func stream(
        _ request: HTTPRequest, options: CallOptions = CallOptions(), operation: Operation? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        var request = request
        let context = prepare(&request, options, operation, .stream)
        return try await send(request, context: consume context)
    }

    /// Out of line to keep the options out of the call's async frame.
    @inline(never)
    func prepare(
        _ request: inout HTTPRequest, _ options: CallOptions, _ operation: Operation?,
        _ response: ResponseMode?
    ) -> RequestContext {
        let services = services
        var options = options
        if operation != nil {
            options = services.operationOptions.merged(call: options, operation: operation)
        }
        request.apply(options)
        return RequestContext(
            options: options, operation: operation, response: response, clock: services.clock)
    }
}
