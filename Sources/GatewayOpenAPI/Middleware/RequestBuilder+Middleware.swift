internal import GatewayCore

extension RequestBuilder {
    /// Sends a request through the middleware of the client.
    ///
    /// Of a call that is prepared to be sent later, the middleware sees the request when it is prepared, and response and
    /// error when its outcome is decoded.
    func exchange(
        _ request: HTTPRequest, _ context: consuming RequestContext, through chain: MiddlewareChain
    ) async throws(NetworkError) -> HTTPResponse {
        let call = MiddlewareCall(operation: operation.operation, id: context.callID)
        let interception = CallInterception.current
        var request = request
        var outcome: (answer: HTTPResponse?, passed: Int) = (nil, chain.members.count)
        if interception?.isDecoding != true {
            do throws(NetworkError) {
                outcome = try await chain.willSend(&request, of: call)
                if outcome.answer == nil { try request.validate() }
            } catch {
                if interception == nil {
                    context.recordRefusal(
                        error, of: request.method, at: request.origin, to: client.services.events?.sink)
                }
                throw error
            }
        }
        let response: HTTPResponse
        if var answer = outcome.answer {
            if interception != nil {
                throw invalid("A middleware answers this call, so it cannot be prepared to be sent later.")
            }
            context.recordAnswer(&answer, to: request, sink: client.services.events?.sink)
            response = answer
        } else if let interception {
            response = try interception.send(request, context)
        } else {
            response = try await client.engine.send(request, context: consume context)
        }
        await chain.didReceive(response, to: request, of: call, passed: outcome.passed)
        return response
    }
}
