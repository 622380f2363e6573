/// What every error of a call tells, whichever operation it was: ``NetworkError``, and the typed errors of
/// generated code.
///
/// Where several typed calls share a `do`, and in closures, Swift infers `any Error`. Catch this protocol there:
/// ```swift
/// do {
///     …
/// } catch let error as any GatewayCallError {
///     log(error.code, error.operation, error.attempts)
///     if error.guidance == .retry { retry(after: error.retryAfter) }
/// }
/// ```
public protocol GatewayCallError: Error {
    /// What happened. The code is the contract; texts may change.
    var code: NetworkError.Code { get }
    /// The kind of the failure: where it comes from.
    var category: ErrorCategory { get }
    /// What the caller can do about it.
    var guidance: ErrorGuidance { get }
    /// The operation's name in its document; `nil` for calls without one.
    var operation: String? { get }
    /// The origin that was called, or that could not be.
    var origin: Origin? { get }
    /// The HTTP status, if there was a response.
    var status: Int? { get }
    /// The response, if there was one and it was kept.
    var response: FailedResponse? { get }
    /// The server-assigned request ID, if any.
    var requestID: String? { get }
    /// How long the server asked to wait before the next attempt.
    var retryAfter: Duration? { get }
    /// The number of attempts; see ``NetworkError/attempts``.
    var attempts: Int { get }
    /// Whether the server may have received the request and acted on it. Where this is `false`, it is safe to send the
    /// request again with any method.
    var mayHaveBeenSent: Bool { get }
    /// The error that led to this one, if any.
    var cause: (any Error)? { get }
    /// A sentence for the operators of the program, free of secrets.
    var message: String { get }
    /// A sentence for the users of the program.
    var messageForPeople: String { get }
}

extension GatewayCallError {
    /// The body of the response, or its first 64 KiB; `nil` where no response was kept.
    public var body: [UInt8]? { response?.body }

    /// Whether the client itself refused to send, on its own decision: a queue is full, refreshing a token is suspended, the
    /// engine was shut down. Nothing was sent that the server may have acted on; ``attempts`` counts earlier attempts.
    ///
    /// Such an error says nothing about the server.
    public var isLocalRejection: Bool { code.isLocalRejection && !mayHaveBeenSent }

    /// The server-assigned request ID, if any.
    public var requestID: String? { response?.fields.serverRequestID }

    /// The sentence for the guidance and the category.
    public var messageForPeople: String { guidance.messageForPeople(category) }
}

extension NetworkError: GatewayCallError {
    /// `nil`: the error does not know the operation.
    public var operation: String? { nil }
    /// The same as ``underlying``.
    public var cause: (any Error)? { underlying }
}
