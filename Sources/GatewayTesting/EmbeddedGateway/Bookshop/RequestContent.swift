import GatewayCore
import GatewayJSON

/// The JSON object in a request, or why there is none.
struct RequestContent {
    private let request: EmbeddedGateway.Request
    private let type: String
    private(set) var refusal = EmbeddedGateway.Reply.problem(400, "The content is not a JSON object.")

    /// Reads content of a media type; parameters of the type are ignored.
    init(_ request: EmbeddedGateway.Request, type: String) {
        self.request = request
        self.type = type
    }

    /// The members; `nil` where there is a refusal.
    mutating func object() -> [String: JSONValue]? {
        let given = request.fields[.contentType].map {
            String($0.prefix { $0 != ";" }).trimmingHTTPWhitespace()
        }
        guard let given, HTTPSyntax.equalIgnoringCase(given, type) else {
            refusal = .problem(415, "The content must be \(type).")
            return nil
        }
        return (try? JSONValue(jsonBytes: request.body))?.object
    }
}

/// What is wrong with a request, as the document's `ValidationProblem` says it.
struct InvalidRequest: Error {
    private(set) var violations: [(field: String, message: String)] = []

    init() {}

    /// One violation.
    ///
    /// - Parameters:
    ///   - field: a JSON pointer into the request.
    ///   - message: what is wrong.
    init(_ field: String, _ message: String) { add(field, message) }

    mutating func add(_ field: String, _ message: String) { violations.append((field, message)) }

    /// Notes a violation where a condition does not hold.
    mutating func require(_ condition: Bool, _ field: String, _ message: String) {
        if !condition { add(field, message) }
    }

    var isEmpty: Bool { violations.isEmpty }

    /// The answer: 422.
    var reply: EmbeddedGateway.Reply {
        .problem(
            422, "The request was understood and refused.",
            [
                "violations": .array(
                    violations.map { ["field": .string($0.field), "message": .string($0.message)] })
            ])
    }
}
