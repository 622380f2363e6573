public import GatewayJSON

/// The failures that an operation documents: generated enums conform.
public protocol DocumentedFailure: Sendable {
    /// Never named: see ``ErrorLayout``.
    associatedtype Layout: ErrorLayout = EmptyErrorLayout

    /// The header fields of the response, with a property for each that the document names for a failure.
    associatedtype Headers: ResponseHeaders = UndocumentedHeaders

    /// Reads the failure that the response's status stands for.
    ///
    /// - Returns: `nil` when the document names no failure of this status.
    /// - Throws: ``GatewayJSON/JSONError``, when the body is not what the document promises.
    init?(response: DocumentedResponse) throws(JSONError)
}

/// The successes that an operation documents where there are several: generated enums conform.
public protocol DocumentedSuccess: Sendable {
    /// Reads the success that the response's status stands for.
    ///
    /// - Returns: `nil` when the document names no success of this status.
    /// - Throws: ``GatewayJSON/JSONError``, when the body is not what the document promises.
    init?(response: DocumentedResponse) throws(JSONError)
}

/// What an operation fails with whose document names no failures: there is no such value.
public enum NoDocumentedFailure: DocumentedFailure {
    /// None.
    public init?(response: DocumentedResponse) throws(JSONError) { nil }
}
