internal import GatewayCore
public import GatewayJSON

/// How a call ended, to be read as the document says, without any waiting.
@_spi(Generated) public struct OperationReply: Sendable {
    enum Outcome: Sendable {
        case response(DocumentedResponse, Exchange)
        /// A success whose body is read as it comes.
        case stream(HTTPResponse)
        case failure(NetworkError)
    }

    let operation: StaticString
    let outcome: Outcome

    /// The body of the response, where one came.
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
            throw undecodable(error, response, exchange)
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
            throw undecodable(error, response, exchange)
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
            throw undecodable(error, response, exchange)
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
        case .failure(let error): throw APIError(cause: error, operation: "\(operation)")
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
            if let documented = try Failure(response: response) {
                return APIError(
                    documented, operation: "\(operation)", status: response.status,
                    requestID: response.fields.serverRequestID, attempts: exchange.attempts,
                    fields: response.fields)
            }
        } catch {
            return undecodable(error, response, exchange)
        }
        return error(
            .unacceptableStatus, "The service answered \(response.status), which its document does not name.",
            response, exchange)
    }

    private func undecodable<Failure>(
        _ error: JSONError, _ response: DocumentedResponse, _ exchange: Exchange
    ) -> APIError<Failure> {
        self.error(
            response.status < 400 ? .decodingFailed : .unacceptableStatus,
            "The body of the \(response.status) response is not what the document says: \(error)",
            response, exchange, underlying: error)
    }

    private func error<Failure>(
        _ code: NetworkError.Code, _ message: String, _ response: DocumentedResponse, _ exchange: Exchange,
        underlying: (any Error)? = nil
    ) -> APIError<Failure> {
        APIError(
            cause: NetworkError(
                code, message, origin: exchange.origin, status: response.status, attempts: exchange.attempts,
                mayHaveBeenSent: true, underlying: underlying),
            operation: "\(operation)", requestID: response.fields.serverRequestID, fields: response.fields)
    }
}
