internal import GatewayCore
public import GatewayJSON

/// The outcome of a call, which generated code decodes without suspending.
@_spi(Generated) public struct OperationReply: Sendable {
    enum Outcome: Sendable {
        case response(DocumentedResponse)
        /// A success whose body is read while it arrives.
        case stream(HTTPResponse)
        /// A call without a usable response.
        case failure(NetworkError)
        /// A response whose body could not be read completely, and the bytes that were received.
        case unread(NetworkError, HTTPResponse, [UInt8])
    }

    let call: MiddlewareCall
    /// The client. Its clock is used to compute delays from dates in `Retry-After`.
    let client: APIClient
    /// The security requirements of the operation.
    let security: StaticString?
    /// Whether the operation has a server of its own.
    let hasOwnServer: Bool
    let outcome: Outcome

    /// The operation's name in the document.
    var operation: String { call.operation.id }

    /// The body of the response, if there is one.
    var body: [UInt8] {
        guard case .response(let response) = outcome else { return [] }
        return response.body
    }

    /// Decodes the JSON body of a success.
    public func json<Value: JSONDecodable & Sendable, Headers: ResponseHeaders, Failure: DocumentedFailure>(
        _ type: Value.Type, from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<Value, Headers> {
        let response = try succeeded(first, last, failure)
        do throws(JSONError) {
            return answer(try response.json(type), response)
        } catch {
            throw undocumented(response, error)
        }
    }

    /// Returns a success without a body.
    public func empty<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<Void, Headers> {
        let response = try succeeded(first, last, failure)
        return answer((), response)
    }

    /// Decodes the text body of a success.
    public func text<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<String, Headers> {
        let response = try succeeded(first, last, failure)
        do throws(JSONError) {
            return answer(try response.text(), response)
        } catch {
            throw undocumented(response, error)
        }
    }

    /// Returns the body of a success as bytes.
    public func bytes<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<[UInt8], Headers> {
        let response = try succeeded(first, last, failure)
        return answer(response.body, response)
    }

    /// Decodes one of several documented successes.
    public func success<Success: DocumentedSuccess, Headers: ResponseHeaders, Failure: DocumentedFailure>(
        _ type: Success.Type, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<Success, Headers> {
        let response = try arrived(failure)
        do throws(JSONError) {
            if let success = try Success(response: response) { return answer(success, response) }
        } catch {
            throw undocumented(response, error)
        }
        throw failed(failure, response)
    }

    private func arrived<Failure>(
        _: Failure.Type
    ) throws(APIError<Failure>) -> DocumentedResponse {
        switch outcome {
        case .response(let response): return response
        case .stream(let response): return DocumentedResponse(response)
        case .failure(let error): throw shown(APIError(failed: error, operation: operation))
        case .unread(let error, let response, let body):
            response.ending?.end(FailureCause(error))
            throw shown(
                APIError(
                    failed: error, operation: operation, response: response, body: body,
                    clock: client.services.clock))
        }
    }

    private func succeeded<Failure>(
        _ first: Int, _ last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> DocumentedResponse {
        let response = try arrived(failure)
        guard response.status >= first && response.status <= last else {
            throw failed(failure, response)
        }
        return response
    }

    private func answer<Value, Headers>(
        _ value: Value, _ response: DocumentedResponse
    ) -> APIResponse<Value, Headers> {
        response.response.ending?.end(nil)
        return APIResponse(
            value: value, status: response.status, fields: response.fields,
            attempts: response.response.exchange.attempts)
    }

    private func failed<Failure>(
        _: Failure.Type, _ response: DocumentedResponse
    ) -> APIError<Failure> {
        do throws(JSONError) {
            guard let documented = try Failure(response: response) else {
                return undocumented(response)
            }
            response.response.ending?.end(nil)
            let exchange = response.response.exchange
            return shown(
                APIError(
                    documented: documented, response: FailedResponse(response.response), operation: operation,
                    origin: exchange.origin, attempts: exchange.attempts,
                    advice: advice(on: response, isDocumented: true), clock: client.services.clock))
        } catch {
            return undocumented(response, error)
        }
    }

    /// The error for a response that does not match the document. A success that cannot be decoded is recorded as a
    /// failed call.
    private func undocumented<Failure>(
        _ response: DocumentedResponse, _ error: JSONError? = nil
    ) -> APIError<Failure> {
        let failure: APIError<Failure> = unusable(response, error)
        let exchange = response.response.exchange
        response.response.ending?.end(
            failure.code == .unacceptableStatus
                ? nil : FailureCause(failure.code, origin: exchange.origin, status: response.status))
        return shown(failure)
    }

    /// The error, after the middleware has seen it.
    func shown<Failure>(_ error: APIError<Failure>) -> APIError<Failure> {
        client.show(error, of: call)
        return error
    }

    private func unusable<Failure>(
        _ response: DocumentedResponse, _ error: JSONError?
    ) -> APIError<Failure> {
        let exchange = response.response.exchange
        if let error,
            let ended = BodyDecoding.interruption(of: error, exchange, status: response.status)
        {
            return APIError(
                failed: ended, operation: operation, response: FailedResponse(response.response))
        }
        return APIError(
            undocumented: FailedResponse(response.response, decodingError: error), operation: operation,
            origin: exchange.origin, attempts: exchange.attempts,
            advice: advice(on: response, isDocumented: false), clock: client.services.clock)
    }
}
