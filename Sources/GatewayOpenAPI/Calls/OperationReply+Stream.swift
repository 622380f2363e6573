public import GatewayCore

extension RequestBuilder {
    /// Makes the call and hands over the body of a success as it comes. The body of any other status is collected.
    public func open(from first: Int, through last: Int) async -> OperationReply {
        do throws(NetworkError) {
            var (request, context) = try prepared()
            context.response = .stream
            let response = try await client.engine.send(request, context: context)
            request.body = .empty
            if response.status >= first && response.status <= last {
                return OperationReply(operation: operation.id, outcome: .stream(response))
            }
            let body = try await response.body.collect(upToBytes: responseLimit)
            let documented = DocumentedResponse(status: response.status, fields: response.fields, body: body)
            return OperationReply(operation: operation.id, outcome: .response(documented, response.exchange))
        } catch {
            return OperationReply(operation: operation.id, outcome: .failure(error))
        }
    }
}

extension OperationReply {
    /// The body of a success, to be read once as it comes.
    public func stream<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<ResponseBody, Headers> {
        if case .stream(let response) = outcome {
            return APIResponse(
                value: response.body, status: response.status, fields: response.fields,
                attempts: response.exchange.attempts)
        }
        // No status that was opened as a success comes here.
        return try bytes(from: 1, through: 0, failure).map { ResponseBody.bytes($0) }
    }

    /// The error of a stream that ended before its end.
    func interrupted<Failure>(_ error: NetworkError) -> APIError<Failure> {
        var requestID: String?
        if case .stream(let response) = outcome { requestID = response.fields.serverRequestID }
        return APIError(cause: error, operation: "\(operation)", requestID: requestID)
    }
}

extension APIResponse {
    fileprivate func map<Other: Sendable>(_ transform: (Value) -> Other) -> APIResponse<Other, Headers> {
        APIResponse<Other, Headers>(
            value: transform(value), status: status, fields: headers.fields, attempts: attempts)
    }
}
