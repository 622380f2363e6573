public import GatewayCore

/// The error of a typed call, for code that is generic over operations. ``APIError`` is the only one.
public protocol TypedCallError: GatewayCallError {
    /// The failures that the operation documents.
    associatedtype Documented: DocumentedFailure
    /// The error itself.
    init(_ error: APIError<Documented>)
}

extension APIError: TypedCallError {
    /// The error itself.
    public init(_ error: APIError<Failure>) { self = error }
}
