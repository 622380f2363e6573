public import GatewayCore

/// A decoded value with status and header fields of its response.
public struct APIResponse<Value: Sendable, Headers: ResponseHeaders>: Sendable {
    /// The decoded body.
    public let value: Value
    /// The HTTP status.
    public let status: Int
    /// The headers that the document names, typed.
    public let headers: Headers
    /// All header fields.
    public var fields: HTTPFields { headers.fields }
    /// The server-assigned request ID, if any.
    public let requestID: String?
    /// The number of attempts; see ``NetworkError/attempts``.
    public let attempts: Int

    /// Makes a response, for tests.
    public init(value: Value, status: Int = 200, fields: HTTPFields = HTTPFields(), attempts: Int = 1) {
        self.value = value
        self.status = status
        headers = Headers(fields: fields)
        requestID = fields.serverRequestID
        self.attempts = attempts
    }
}

/// The header fields of a response: generated structs conform, with a property for each that the document names.
public protocol ResponseHeaders: Sendable {
    /// All fields.
    var fields: HTTPFields { get }
    /// Wraps fields.
    init(fields: HTTPFields)
}

/// The header fields of a response whose document names none.
public struct UndocumentedHeaders: ResponseHeaders {
    /// All fields.
    public let fields: HTTPFields
    /// Wraps fields.
    public init(fields: HTTPFields) { self.fields = fields }
}

extension HTTPFields {
    /// The value of a field that the document names; `nil` when it is absent or not of its type.
    @_spi(Generated) public func documented<Value: ParameterValue>(
        _ name: StaticString, _ type: Value.Type
    ) -> Value? {
        self[HTTPField.Name("\(name)")].flatMap { Value(parameterText: $0) }
    }

    /// The values of a list that the document names; `nil` when it is absent, or an element not of its type.
    @_spi(Generated) public func documentedList<Value: ParameterValue>(
        _ name: StaticString, _ type: Value.Type
    ) -> [Value]? {
        guard let text = self[HTTPField.Name("\(name)")] else { return nil }
        var result: [Value] = []
        for part in text.split(separator: ",") {
            let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
            var part = part.drop(while: isSpace)
            while let last = part.last, isSpace(last) { part.removeLast() }
            guard let value = Value(parameterText: String(part)) else { return nil }
            result.append(value)
        }
        return result
    }
}
