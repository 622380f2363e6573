/// The common properties of all errors of calls: ``NetworkError``, and the typed errors of generated code.
///
/// If several typed calls share a `do`, and in closures, Swift infers `any Error`. Catch this protocol there:
/// ```swift
/// do {
///     …
/// } catch let error as any GatewayCallError {
///     log(error.code, error.operation, error.attempts)
///     if error.guidance == .retry { retry(after: error.retryAfter) }
/// }
/// ```
public protocol GatewayCallError: Error {
    /// The kind of error. The code is stable; texts may change.
    var code: NetworkError.Code { get }
    /// The origin of the failure.
    var category: ErrorCategory { get }
    /// The recommended reaction.
    var guidance: ErrorGuidance { get }
    /// The operation's name in the document; `nil` for calls without one.
    var operation: String? { get }
    /// The origin of the request, if it is known.
    var origin: Origin? { get }
    /// The HTTP status, if there was a response.
    var status: Int? { get }
    /// The response, if there was one and it was kept.
    var response: FailedResponse? { get }
    /// The server-assigned request ID, if any.
    var requestID: String? { get }
    /// The delay before the next attempt that the server requested.
    var retryAfter: Duration? { get }
    /// The number of attempts; see ``NetworkError/attempts``.
    var attempts: Int { get }
    /// Whether the server may have received the request and processed it. If `false`, it is safe to send the request
    /// again with any method.
    var mayHaveBeenSent: Bool { get }
    /// The underlying error, if any.
    var cause: (any Error)? { get }
    /// A message for operators, without secrets.
    var message: String { get }
    /// A message for the users of the program.
    var messageForPeople: String { get }
}

extension GatewayCallError {
    /// The body of the response, or its first 64 KiB; `nil` if no response was kept.
    public var body: [UInt8]? { response?.body }

    /// Whether the client itself refused to send the request, for example because a queue is full, refreshing a token
    /// is suspended, or the engine was shut down. No request was sent that the server may have processed; ``attempts``
    /// counts earlier attempts.
    ///
    /// Such an error is not evidence about the server.
    public var isLocalRejection: Bool { code.isLocalRejection && !mayHaveBeenSent }

    /// The server-assigned request ID, if any.
    public var requestID: String? { response?.fields.serverRequestID }

    /// Default: the text for the guidance and the category.
    public var messageForPeople: String { guidance.messageForPeople(category) }
}

extension NetworkError: GatewayCallError {
    /// `nil`: the error does not know the operation.
    public var operation: String? { nil }
    /// Same as ``underlying``.
    public var cause: (any Error)? { underlying }
}
