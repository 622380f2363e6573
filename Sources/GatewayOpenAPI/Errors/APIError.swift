public import GatewayCore
internal import GatewayJSON

/// Why a typed call failed: a failure that the document names, or a ``cause`` that it does not.
///
/// ```swift
/// do { _ = try await api.books.get(bookId: id) } catch {
///     switch error.documented {
///     case .notFound(let problem)?: show(problem.title)
///     default: log(error.code, error.requestID, error.attempts)
///     }
/// }
/// ```
/// It never prints a header value but the request id, and holds no query; ``documented`` and ``headers`` hold what the
/// server wrote.
public struct APIError<Failure: DocumentedFailure>: GatewayCallError {
    private final class Storage: Sendable {
        let documented: Failure?
        let cause: NetworkError?
        let operation: String
        let status: Int?
        let requestID: String?
        let attempts: Int
        let fields: HTTPFields?

        init(
            documented: Failure?, cause: NetworkError?, operation: String, status: Int?, requestID: String?,
            attempts: Int, fields: HTTPFields?
        ) {
            self.documented = documented
            self.cause = cause
            self.operation = operation
            self.status = status
            self.requestID = requestID
            self.attempts = attempts
            self.fields = fields
        }
    }

    /// One pointer, so that typed throws stay cheap.
    private let storage: Storage

    /// No byte, but a layout that depends on `Failure`. Without it Swift 6.3.1, unoptimised, hands the caller of
    /// `func f<Value, Failure>() async throws(APIError<Failure>) -> Value` a wild pointer for the error.
    private let layout = Failure.Layout()

    /// A documented failure, to test code that handles it.
    public init(
        _ documented: Failure, operation: String, status: Int, requestID: String? = nil, attempts: Int = 1,
        fields: HTTPFields = HTTPFields()
    ) {
        storage = Storage(
            documented: documented, cause: nil, operation: operation, status: status, requestID: requestID,
            attempts: attempts, fields: fields)
    }

    /// Any other failure.
    public init(
        cause: NetworkError, operation: String, requestID: String? = nil, fields: HTTPFields? = nil
    ) {
        storage = Storage(
            documented: nil, cause: cause, operation: operation, status: cause.status, requestID: requestID,
            attempts: cause.attempts, fields: fields)
    }

    /// The failure that the document names, with its body; `nil` when there is a ``cause``.
    public var documented: Failure? { storage.documented }

    /// What else happened: transport, deadline, cancellation, credentials, a request that could not be made, a
    /// status that is not documented, a body that is not what the document promises (`underlying` is then a
    /// `JSONError` with its path). `nil` when the failure is ``documented``.
    public var cause: NetworkError? { storage.cause }

    /// What happened; `unacceptableStatus` for documented failures.
    public var code: NetworkError.Code { cause?.code ?? .unacceptableStatus }

    /// The operation's name in its document.
    public var operation: String? { storage.operation }

    /// The HTTP status, where a response came.
    public var status: Int? { storage.status }

    /// The header fields of the response, where one came: those that the document names for a failure, and all others in
    /// `fields`. They are never printed.
    public var headers: Failure.Headers? { storage.fields.map { Failure.Headers(fields: $0) } }

    /// By what the server knows the request, where it said so.
    public var requestID: String? { storage.requestID }

    /// How many requests went on the wire.
    public var attempts: Int { storage.attempts }

    /// What kind of failure it is: by the status where there is one, else by the code.
    public var category: ErrorCategory {
        if let cause { return cause.category }
        return status.map { ErrorCategory(status: $0) } ?? .permanent
    }

    /// A sentence for those who run the program, free of secrets.
    public var message: String {
        cause?.message ?? "The service answered \(status ?? 0), as its document says it may."
    }
}

extension APIError: Redacted {
    /// Operation, code, status, attempts and message; never a body.
    public var description: String {
        var text = "\(storage.operation): \(code)"
        if let status { text += " (\(status))" }
        if let requestID { text += " request \(requestID)" }
        text += " after \(attempts) attempt(s): \(message)"
        return text
    }
}
