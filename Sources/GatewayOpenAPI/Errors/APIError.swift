public import GatewayCore
internal import GatewayJSON

/// The error of a typed call. ``failure`` has the kind and its details.
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
/// Descriptions, dumps and mirrors contain no query, no body and, except for the request ID, no header values.
/// ``failure``, ``response`` and ``headers`` contain what the server sent.
public struct APIError<Documented: DocumentedFailure>: GatewayCallError {
    /// The kinds of failure of a typed call.
    public enum Failure: Sendable {
        /// The server sent a documented failure; this is its decoded body.
        case documented(Documented)
        /// The server sent a status that is not documented, or a body that does not match the document. In the latter
        /// case ``GatewayCore/FailedResponse/decodingError`` is a ``GatewayJSON/JSONError``.
        case undocumented(FailedResponse)
        /// There is no usable response: transport error, deadline, cancellation, missing credentials, or a request that
        /// could not be built.
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
        /// What to check after a status that refuses the call; empty if nothing is known.
        var advice = ""
    }

    private final class Storage: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    /// A single pointer, to keep typed throws cheap.
    private let storage: Storage
    private var values: Values { storage.values }

    /// Zero bytes, but its layout depends on `Documented`. Why: without it, unoptimised code of Swift 6.3.1 passes an
    /// invalid error pointer to the caller of `func f<Value, Documented>() async throws(APIError<Documented>) ->
    /// Value`.
    private let layout = Documented.Layout()

    init(_ values: Values) { storage = Storage(values) }

    /// The kind of the failure and its details.
    public var failure: Failure { values.failure }

    /// The response, if there was one and it was kept: status, header fields, and up to 64 KiB of the body. For a
    /// ``Failure/failed(_:)`` call it is the part that was received, if any.
    public var response: FailedResponse? { values.response }

    /// The header fields of the response, if there was one. It has a property for each documented field of a failure;
    /// all fields are in `fields`. They are never printed.
    public var headers: Documented.Headers? { response.map { Documented.Headers(fields: $0.fields) } }

    /// The code of the error: ``GatewayCore/NetworkError/unacceptableStatus`` for documented failures and undocumented
    /// statuses, ``GatewayCore/NetworkError/decodingFailed`` for a success whose body does not match the document.
    public var code: NetworkError.Code {
        switch failure {
        case .documented: .unacceptableStatus
        case .undocumented(let response):
            response.decodingError != nil && response.status < 400 ? .decodingFailed : .unacceptableStatus
        case .failed(let error): error.code
        }
    }

    /// The operation's name in the document.
    public var operation: String? { values.operation }

    /// The origin of the request, if it is known.
    public var origin: Origin? { values.origin }

    /// The HTTP status, if there was a response.
    public var status: Int? {
        if case .failed(let error) = failure { return error.status ?? response?.status }
        return response?.status
    }

    /// The delay before the next attempt that the server requested with `Retry-After`.
    public var retryAfter: Duration? { values.retryAfter }

    /// The number of attempts; see ``GatewayCore/NetworkError/attempts``.
    public var attempts: Int { values.attempts }

    /// Whether the server may have received the request and acted on it.
    public var mayHaveBeenSent: Bool {
        if case .failed(let error) = failure { return error.mayHaveBeenSent || response != nil }
        return true
    }

    /// The ``GatewayCore/NetworkError`` of a failed call, or the reason why the body does not match the document;
    /// otherwise `nil`.
    public var cause: (any Error)? {
        switch failure {
        case .documented: nil
        case .undocumented(let response): response.decodingError
        case .failed(let error): error
        }
    }

    /// The category of the failure, from the status if the status is the reason, otherwise from the code.
    public var category: ErrorCategory {
        if case .failed(let error) = failure { return error.category }
        guard code == .unacceptableStatus, let status else { return code.category }
        return ErrorCategory(status: status)
    }

    /// The recommended action, from the status if the status is the reason, otherwise from the code.
    public var guidance: ErrorGuidance {
        if case .failed(let error) = failure { return error.guidance }
        guard code == .unacceptableStatus, let status else { return code.guidance }
        return ErrorGuidance(status: status, retryAfter: retryAfter)
    }

    /// A message for operators, without secrets.
    public var message: String {
        let message =
            switch failure {
            case .documented: "The service answered \(status ?? 0), a documented failure."
            case .undocumented: values.message
            case .failed(let error): error.message
            }
        guard !values.advice.isEmpty else { return message }
        return message + (message.hasSuffix(".") ? " " : ". ") + values.advice
    }
}

extension APIError: Redacted {
    /// Operation, code, origin, phase, status, request ID, attempts and message, never a body.
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
    /// The kind of the failure, with the status and body size of an undocumented response or the description of a
    /// network error.
    public var description: String {
        switch self {
        case .documented: "documented failure"
        case .undocumented(let response): "undocumented: \(response)"
        case .failed(let error): "failed: \(error)"
        }
    }
}
