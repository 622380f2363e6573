public import GatewayJSON

/// The documented failures of an operation. Generated enums conform.
public protocol DocumentedFailure: Sendable {
    /// A workaround that your code does not use; see ``ErrorLayout``.
    associatedtype Layout: ErrorLayout = EmptyErrorLayout

    /// The header fields of the response, with a property for each documented field of a failure.
    associatedtype Headers: ResponseHeaders = UndocumentedHeaders

    /// Decodes the documented failure for the status of a response.
    ///
    /// - Returns: `nil` if the document has no failure with this status.
    /// - Throws: ``GatewayJSON/JSONError`` if the body does not match the document.
    init?(response: DocumentedResponse) throws(JSONError)
}

/// The documented successes of an operation that has several. Generated enums conform.
public protocol DocumentedSuccess: Sendable {
    /// Decodes the documented success for the status of a response.
    ///
    /// - Returns: `nil` if the document has no success with this status.
    /// - Throws: ``GatewayJSON/JSONError`` if the body does not match the document.
    init?(response: DocumentedResponse) throws(JSONError)
}

/// The failures of an operation without documented failures. It has no values.
public enum NoDocumentedFailure: DocumentedFailure {
    /// Always `nil`.
    public init?(response: DocumentedResponse) throws(JSONError) { nil }
}
