public import GatewayJSON

/// The failures that an operation documents: generated enums conform.
public protocol DocumentedFailure: Sendable {
    /// A workaround that no code names; see ``ErrorLayout``.
    associatedtype Layout: ErrorLayout = EmptyErrorLayout

    /// The header fields of the response, with a property for each that the document names for a failure.
    associatedtype Headers: ResponseHeaders = UndocumentedHeaders

    /// Decodes the failure that the document names for the response's status.
    ///
    /// - Returns: `nil` when the document names no failure with this status.
    /// - Throws: ``GatewayJSON/JSONError``, when the body does not match the document.
    init?(response: DocumentedResponse) throws(JSONError)
}

/// The successes of an operation that documents several: generated enums conform.
public protocol DocumentedSuccess: Sendable {
    /// Decodes the success that the document names for the response's status.
    ///
    /// - Returns: `nil` when the document names no success with this status.
    /// - Throws: ``GatewayJSON/JSONError``, when the body does not match the document.
    init?(response: DocumentedResponse) throws(JSONError)
}

/// The failures of an operation whose document names none. It has no values.
public enum NoDocumentedFailure: DocumentedFailure {
    /// Always `nil`.
    public init?(response: DocumentedResponse) throws(JSONError) { nil }
}
