import GatewayCore
import GatewayJSON

/// The JSON object in a request, or the error response.
struct RequestContent {
    private let request: EmbeddedGateway.Request
    private let type: String
    private(set) var refusal = EmbeddedGateway.Reply.problem(400, "The content is not a JSON object.")

    /// Creates a reader for a media type. Parameters of the media type are ignored.
    init(_ request: EmbeddedGateway.Request, type: String) {
        self.request = request
        self.type = type
    }

    /// The members; `nil` if there is an error, which is in ``refusal``.
    mutating func object() -> [String: JSONValue]? {
        guard request.fields.mediaType == type else {
            refusal = .problem(415, "The content must be \(type).")
            return nil
        }
        return (try? JSONValue(jsonBytes: request.body))?.object
    }
}

/// The violations in a request, as the document's `ValidationProblem`.
struct InvalidRequest: Error {
    private(set) var violations: [(field: String, message: String)] = []

    init() {}

    /// Creates a value with one violation.
    ///
    /// - Parameters:
    ///   - field: a JSON pointer into the request.
    ///   - message: the violation.
    init(_ field: String, _ message: String) { add(field, message) }

    mutating func add(_ field: String, _ message: String) { violations.append((field, message)) }

    /// Adds a violation if a condition is false.
    mutating func require(_ condition: Bool, _ field: String, _ message: String) {
        if !condition { add(field, message) }
    }

    var isEmpty: Bool { violations.isEmpty }

    /// The response, with status 422.
    var reply: EmbeddedGateway.Reply {
        .problem(
            422, "The request was understood and refused.",
            [
                "violations": .array(
                    violations.map { ["field": .string($0.field), "message": .string($0.message)] })
            ])
    }
}
