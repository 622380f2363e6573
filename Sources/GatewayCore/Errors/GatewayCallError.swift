/// What every error of a call says, whichever operation it was: ``NetworkError``, and the typed errors of
/// generated code.
///
/// Two typed calls in one `do` make `error` an `any Error`; this is how to go on from there:
/// ```swift
/// do { … } catch let error as any GatewayCallError { log(error.code, error.operation, error.attempts) }
/// ```
public protocol GatewayCallError: Error {
    /// What happened; the contract, where texts are not.
    var code: NetworkError.Code { get }
    /// The operation's name in its document; `nil` below typed calls.
    var operation: String? { get }
    /// The HTTP status that led here, if one did.
    var status: Int? { get }
    /// By what the server knows the request, where it said so.
    var requestID: String? { get }
    /// How many requests went on the wire.
    var attempts: Int { get }
    /// What kind of failure it is.
    var category: ErrorCategory { get }
    /// A sentence for those who run the program, free of secrets.
    var message: String { get }
    /// A sentence for those who use the program.
    var messageForPeople: String { get }
}

extension GatewayCallError {
    /// The category's sentence.
    public var messageForPeople: String { category.messageForPeople }
}

extension NetworkError: GatewayCallError {
    /// Nothing: the error does not know the operation.
    public var operation: String? { nil }
    /// Nothing: the error does not know the response.
    public var requestID: String? { nil }
}
