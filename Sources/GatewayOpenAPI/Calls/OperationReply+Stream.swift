public import GatewayCore
internal import GatewayJSON

extension RequestBuilder {
    /// Makes the call and returns the body of a success as a stream. The body of a response with any other status is
    /// collected.
    public func open(from first: Int, through last: Int) async -> OperationReply {
        var id: UInt64 = 0
        do throws(NetworkError) {
            var (request, context) = try begun(&id)
            context.response = .stream
            let deadline = context.deadline
            let response = try await exchange(request, consume context)
            request.body = .empty
            if response.status >= first && response.status <= last {
                // Records the end of the call. Values are decoded later, while the stream is read.
                response.ending?.end(nil)
                return reply(.stream(response), id)
            }
            return await collected(response, deadline, id)
        } catch {
            return reply(.failure(error), id)
        }
    }
}

extension OperationReply {
    /// The status of the response, if there is one.
    var status: Int? {
        switch outcome {
        case .response(let response): response.status
        case .stream(let response), .unread(_, let response, _): response.status
        case .failure: nil
        }
    }

    /// The body of a success as a stream. It can be read once.
    public func stream<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<ResponseBody, Headers> {
        if case .stream(let response) = outcome {
            return APIResponse(
                value: response.body, status: response.status, fields: response.fields,
                attempts: response.exchange.attempts)
        }
        // Only failures remain: `open` returns every success as a stream.
        return try bytes(from: 1, through: 0, failure).map { ResponseBody.bytes($0) }
    }

    /// The error of a stream that ended early.
    func interrupted<Failure>(_ error: NetworkError) -> APIError<Failure> {
        guard case .stream(let response) = outcome else {
            return shown(APIError(failed: error, operation: operation))
        }
        return shown(
            APIError(failed: error, operation: operation, response: response, clock: client.services.clock))
    }

    /// The error of a value in a stream that does not match the document.
    ///
    /// - Parameters:
    ///   - place: the position of the value, for the message.
    ///   - bytes: the value.
    func undecodable<Failure>(
        _ place: String, _ bytes: [UInt8], _ error: JSONError
    ) -> APIError<Failure> {
        guard case .stream(let response) = outcome else {
            return shown(
                APIError(
                    failed: NetworkError(.decodingFailed, place, underlying: error), operation: operation))
        }
        if let ended = BodyDecoding.interruption(of: error, response.exchange, status: response.status) {
            return interrupted(ended)
        }
        return shown(
            APIError(
                undocumented: FailedResponse(
                    status: response.status, fields: response.fields, body: bytes, decodingError: error),
                place: place, operation: operation, origin: response.exchange.origin,
                attempts: response.exchange.attempts, clock: client.services.clock))
    }
}

extension APIResponse {
    fileprivate func map<Other: Sendable>(_ transform: (Value) -> Other) -> APIResponse<Other, Headers> {
        APIResponse<Other, Headers>(
            value: transform(value), status: status, fields: headers.fields, attempts: attempts)
    }
}
