internal import GatewayCore
public import GatewayJSON

/// The outcome of a call, to be decoded as the document says without any waiting.
@_spi(Generated) public struct OperationReply: Sendable {
    enum Outcome: Sendable {
        case response(DocumentedResponse, Exchange)
        /// A success whose body is read as it arrives.
        case stream(HTTPResponse)
        /// A call without a usable response.
        case failure(NetworkError)
        /// A response whose body could not be read to its end, and what had arrived of it.
        case unread(NetworkError, HTTPResponse, [UInt8])
    }

    let operation: String
    /// The client, whose clock dates in `Retry-After` are compared with.
    let client: APIClient
    let outcome: Outcome

    /// The body of the response, if there is one.
    var body: [UInt8] {
        guard case .response(let response, _) = outcome else { return [] }
        return response.body
    }

    /// The value of a success in JSON.
    public func json<Value: JSONDecodable & Sendable, Headers: ResponseHeaders, Failure: DocumentedFailure>(
        _ type: Value.Type, from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<Value, Headers> {
        let (response, exchange) = try succeeded(first, last, failure)
        do throws(JSONError) {
            return answer(try response.json(type), response, exchange)
        } catch {
            throw undocumented(response, exchange, error)
        }
    }

    /// A success without a body.
    public func empty<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<Void, Headers> {
        let (response, exchange) = try succeeded(first, last, failure)
        return answer((), response, exchange)
    }

    /// The value of a success in text.
    public func text<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<String, Headers> {
        let (response, exchange) = try succeeded(first, last, failure)
        do throws(JSONError) {
            return answer(try response.text(), response, exchange)
        } catch {
            throw undocumented(response, exchange, error)
        }
    }

    /// The value of a success in bytes.
    public func bytes<Headers: ResponseHeaders, Failure: DocumentedFailure>(
        from first: Int, through last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<[UInt8], Headers> {
        let (response, exchange) = try succeeded(first, last, failure)
        return answer(response.body, response, exchange)
    }

    /// One of several successes.
    public func success<Success: DocumentedSuccess, Headers: ResponseHeaders, Failure: DocumentedFailure>(
        _ type: Success.Type, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> APIResponse<Success, Headers> {
        let (response, exchange) = try arrived(failure)
        do throws(JSONError) {
            if let success = try Success(response: response) { return answer(success, response, exchange) }
        } catch {
            throw undocumented(response, exchange, error)
        }
        throw failed(failure, response, exchange)
    }

    private func arrived<Failure>(
        _: Failure.Type
    ) throws(APIError<Failure>) -> (DocumentedResponse, Exchange) {
        switch outcome {
        case .response(let response, let exchange): return (response, exchange)
        case .stream(let response):
            return (
                DocumentedResponse(status: response.status, fields: response.fields), response.exchange
            )
        case .failure(let error): throw APIError(failed: error, operation: "\(operation)")
        case .unread(let error, let response, let body):
            throw APIError(
                failed: error, operation: "\(operation)", response: response, body: body,
                clock: client.engine.clock)
        }
    }

    private func succeeded<Failure>(
        _ first: Int, _ last: Int, _ failure: Failure.Type
    ) throws(APIError<Failure>) -> (DocumentedResponse, Exchange) {
        let (response, exchange) = try arrived(failure)
        guard response.status >= first && response.status <= last else {
            throw failed(failure, response, exchange)
        }
        return (response, exchange)
    }

    private func answer<Value, Headers>(
        _ value: Value, _ response: DocumentedResponse, _ exchange: Exchange
    ) -> APIResponse<Value, Headers> {
        APIResponse(
            value: value, status: response.status, fields: response.fields, attempts: exchange.attempts)
    }

    private func failed<Failure>(
        _: Failure.Type, _ response: DocumentedResponse, _ exchange: Exchange
    ) -> APIError<Failure> {
        do throws(JSONError) {
            guard let documented = try Failure(response: response) else {
                return undocumented(response, exchange)
            }
            return APIError(
                documented: documented, response: FailedResponse(response), operation: "\(operation)",
                origin: exchange.origin, attempts: exchange.attempts, clock: client.engine.clock)
        } catch {
            return undocumented(response, exchange, error)
        }
    }

    private func undocumented<Failure>(
        _ response: DocumentedResponse, _ exchange: Exchange, _ error: JSONError? = nil
    ) -> APIError<Failure> {
        if let error,
            let ended = BodyDecoding.interruption(of: error, exchange, status: response.status)
        {
            return APIError(failed: ended, operation: "\(operation)", response: FailedResponse(response))
        }
        return APIError(
            undocumented: FailedResponse(response, decodingError: error), operation: "\(operation)",
            origin: exchange.origin, attempts: exchange.attempts, clock: client.engine.clock)
    }
}

extension FailedResponse {
    fileprivate init(_ response: DocumentedResponse, decodingError: JSONError? = nil) {
        self.init(
            status: response.status, fields: response.fields, body: response.body,
            decodingError: decodingError)
    }
}
