public import GatewayCore

/// A typed value with the response that brought it.
public struct APIResponse<Value: Sendable, Headers: ResponseHeaders>: Sendable {
    /// What the body says.
    public let value: Value
    /// The HTTP status.
    public let status: Int
    /// The header fields that the document names, and all others in `fields`.
    public let headers: Headers
    /// By what the server knows the request, where it said so.
    public let requestID: String?
    /// How many requests went on the wire.
    public let attempts: Int

    /// A response of your own, for tests.
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

    /// By what the server knows the request, in the fields that servers use; only if it is short and plain.
    var serverRequestID: String? {
        for name: HTTPField.Name in [.requestID, "Request-Id", "X-Correlation-ID", "X-Amzn-RequestId"] {
            if let id = self[name], id.utf8.count <= 128, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
                return id
            }
        }
        return nil
    }
}
