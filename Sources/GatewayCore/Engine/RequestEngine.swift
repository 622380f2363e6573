/// Any number of exchanges for one call.
///
/// Every status is a response, never an error: the last one, when retries run out. Engines are layered: each
/// knows the protocol below it and nothing else.
public protocol RequestEngine: Sendable {
    /// Makes the call and returns the last response.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - context: what the call carries. An engine that passes it on without a change declares the parameter as
    ///     `consuming` or not as it likes.
    func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse

    /// What the engine offers beside calls. An engine above another one returns the services of that one, with what it
    /// changes itself. It has no default: what a layer does not pass on is lost to everything above it.
    var services: EngineServices { get }
}

extension RequestEngine {
    /// Makes a call: applies the options, makes the context, and sends.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - options: the options of this call, over those of its operation.
    ///   - operation: the operation, for options, events and metrics.
    public func send(
        _ request: HTTPRequest, options: CallOptions = CallOptions(), operation: Operation? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        try await send(request, options, operation, nil)
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
        try await send(request, options, operation, .stream)
    }

    /// - Parameter isDecoded: whether the caller decodes the response, and records the end of the call.
    func send(
        _ request: HTTPRequest, _ options: CallOptions, _ operation: Operation?, _ response: ResponseMode?,
        isDecoded: Bool = false
    ) async throws(NetworkError) -> HTTPResponse {
        var request = request
        var context = prepare(&request, options, operation, response)
        if isDecoded { context.isEndedByCaller = true }
        return try await send(request, context: consume context)
    }

    /// Out of line: options are large, and no part of the async frame of a call.
    @inline(never)
    private func prepare(
        _ request: inout HTTPRequest, _ options: CallOptions, _ operation: Operation?,
        _ response: ResponseMode?
    ) -> RequestContext {
        let services = services
        let options = services.operationOptions.merged(call: options, operation: operation)
        request.apply(options)
        return RequestContext(
            options: options, operation: operation, response: response, clock: services.clock)
    }
}
