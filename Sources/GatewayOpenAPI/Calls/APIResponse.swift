public import GatewayCore

/// A decoded value with the status and header fields of its response.
public struct APIResponse<Value: Sendable, Headers: ResponseHeaders>: Sendable {
    /// The decoded body.
    public let value: Value
    /// The HTTP status.
    public let status: Int
    /// The documented header fields, with their types.
    public let headers: Headers
    /// All header fields.
    public var fields: HTTPFields { headers.fields }
    /// The server-assigned request ID, if any.
    public let requestID: String?
    /// The number of attempts; see ``NetworkError/attempts``.
    public let attempts: Int

    /// Creates a response, for tests.
    public init(value: Value, status: Int = 200, fields: HTTPFields = HTTPFields(), attempts: Int = 1) {
        self.value = value
        self.status = status
        headers = Headers(fields: fields)
        requestID = fields.serverRequestID
        self.attempts = attempts
    }
}

/// The header fields of a response. Generated structs conform and have a property for each documented field.
public protocol ResponseHeaders: Sendable {
    /// All header fields.
    var fields: HTTPFields { get }
    /// Wraps header fields.
    init(fields: HTTPFields)
}

/// The header fields of a response without documented header fields.
public struct UndocumentedHeaders: ResponseHeaders {
    /// All header fields.
    public let fields: HTTPFields
    /// Wraps header fields.
    public init(fields: HTTPFields) { self.fields = fields }
}

extension HTTPFields {
    /// The value of a documented header field; `nil` if it is missing or cannot be converted to the type.
    @_spi(Generated) public func documented<Value: ParameterValue>(
        _ name: StaticString, _ type: Value.Type
    ) -> Value? {
        self[HTTPField.Name("\(name)")].flatMap { Value(parameterText: $0) }
    }

    /// The elements of a documented list field; `nil` if it is missing or an element cannot be converted to the type.
    @_spi(Generated) public func documentedList<Value: ParameterValue>(
        _ name: StaticString, _ type: Value.Type
    ) -> [Value]? {
        guard let text = self[HTTPField.Name("\(name)")] else { return nil }
        var result: [Value] = []
        for part in text.split(separator: ",") {
            guard let value = Value(parameterText: String(part).trimmingHTTPWhitespace()) else { return nil }
            result.append(value)
        }
        return result
    }
}
