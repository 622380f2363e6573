public import GatewayCore
internal import GatewayJSON

/// Why a typed call failed: ``failure`` says which of three ways it was.
///
/// ```swift
/// do { _ = try await api.books.get(bookId: id) } catch {
///     switch error.failure {
///     case .documented(.notFound(let problem)): show(problem.title)
///     case .documented: show(error.messageForPeople)
///     case .undocumented(let response): log(response.status, try? response.text())
///     case .failed(let cause): log(cause.code, cause.attempts)
///     }
/// }
/// ```
/// Descriptions, dumps and mirrors show no header value but the request ID, no query and no body. ``failure``,
/// ``response`` and ``headers`` hold what the server wrote.
public struct APIError<Documented: DocumentedFailure>: GatewayCallError {
    /// The ways in which a typed call fails.
    public enum Failure: Sendable {
        /// The server answered with a failure that the document names; this is its body.
        case documented(Documented)
        /// The server answered with a status that the document does not name, or with a body that does not match the
        /// document. In the latter case ``GatewayCore/FailedResponse/decodingError`` is a ``GatewayJSON/JSONError``.
        case undocumented(FailedResponse)
        /// There is no usable response: transport, deadline, cancellation, credentials, or a request that could not be
        /// made.
        case failed(NetworkError)
    }

    struct Values: Sendable {
        let failure: Failure
        let operation: String
        var response: FailedResponse?
        var origin: Origin?
        var retryAfter: Duration?
        var attempts: Int
        /// The message for an undocumented response.
        var message = ""
    }

    private final class Storage: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    /// One pointer, so that typed throws stay cheap.
    private let storage: Storage
    private var values: Values { storage.values }

    /// No byte, but a layout that depends on `Documented`. Without it Swift 6.3.1, unoptimised, hands the caller of
    /// `func f<Value, Documented>() async throws(APIError<Documented>) -> Value` a wild pointer for the error.
    private let layout = Documented.Layout()

    init(_ values: Values) { storage = Storage(values) }

    /// How and why the call failed.
    public var failure: Failure { values.failure }

    /// The response, if there was one and it was kept: status, header fields, and up to 64 KiB of the body. Where the
    /// response of a ``Failure/failed(_:)`` call had begun, it is what had arrived by then.
    public var response: FailedResponse? { values.response }

    /// The header fields of the response, if there was one: those that the document names for a failure, and all others in
    /// `fields`. They are never printed.
    public var headers: Documented.Headers? { response.map { Documented.Headers(fields: $0.fields) } }

    /// What happened; ``GatewayCore/NetworkError/unacceptableStatus`` for documented failures and undocumented statuses,
    /// ``GatewayCore/NetworkError/decodingFailed`` for a success whose body does not match the document.
    public var code: NetworkError.Code {
        switch failure {
        case .documented: .unacceptableStatus
        case .undocumented(let response):
            response.decodingError != nil && response.status < 400 ? .decodingFailed : .unacceptableStatus
        case .failed(let error): error.code
        }
    }

    /// The operation's name in its document.
    public var operation: String? { values.operation }

    /// The origin that was called, or that could not be.
    public var origin: Origin? { values.origin }

    /// The HTTP status, if there was a response.
    public var status: Int? {
        if case .failed(let error) = failure { return error.status ?? response?.status }
        return response?.status
    }

    /// How long the server asked to wait before the next attempt, by `Retry-After` of any response.
    public var retryAfter: Duration? { values.retryAfter }

    /// The number of attempts; see ``GatewayCore/NetworkError/attempts``.
    public var attempts: Int { values.attempts }

    /// Whether the server may have received the request and acted on it.
    public var mayHaveBeenSent: Bool {
        if case .failed(let error) = failure { return error.mayHaveBeenSent || response != nil }
        return true
    }

    /// The ``GatewayCore/NetworkError`` of a failed call, or why the body does not match the document; `nil` otherwise.
    public var cause: (any Error)? {
        switch failure {
        case .documented: nil
        case .undocumented(let response): response.decodingError
        case .failed(let error): error
        }
    }

    /// The kind of the failure: by the status where that is the reason, by the code otherwise.
    public var category: ErrorCategory {
        if case .failed(let error) = failure { return error.category }
        guard code == .unacceptableStatus, let status else { return code.category }
        return ErrorCategory(status: status)
    }

    /// What the caller can do about it: by the status where that is the reason, by the code otherwise.
    public var guidance: ErrorGuidance {
        if case .failed(let error) = failure { return error.guidance }
        guard code == .unacceptableStatus, let status else { return code.guidance }
        return ErrorGuidance(status: status, retryAfter: retryAfter)
    }

    /// A sentence for the operators of the program, free of secrets.
    public var message: String {
        switch failure {
        case .documented: "The service answered \(status ?? 0), a documented failure."
        case .undocumented: values.message
        case .failed(let error): error.message
        }
    }
}

extension APIError: Redacted {
    /// Operation, code, origin, phase, status, request ID, attempts and message; never a body.
    public var description: String {
        var text = "\(values.operation): "
        if case .failed(let error) = failure {
            text += "\(error)"
            if let requestID { text += " The request ID is \(requestID)." }
            return text
        }
        text += "\(code)"
        if let origin { text += " at \(origin)" }
        if let status { text += " (\(status))" }
        if let requestID { text += " request \(requestID)" }
        if attempts > 0 { text += " after \(attempts) attempt\(attempts == 1 ? "" : "s")" }
        return text + ": \(message)"
    }
}

extension APIError.Failure: Redacted {
    /// The way of the failure; of a response the status and the size of its body, of a network error its description.
    public var description: String {
        switch self {
        case .documented: "documented failure"
        case .undocumented(let response): "undocumented: \(response)"
        case .failed(let error): "failed: \(error)"
        }
    }
}
