import Testing

@testable import OpenAPIGeneration

/// Changes of webhooks and callbacks, each verdict with its reason. The client is the one that is called.
@Suite struct EventDiffTests {
    static let cases: [DiffCase] = [
        // There was no switch that could lack it.
        .init("added", "", "e: { post: { responses: {} } }", ""),
        // A switch over all of them lacks it; nobody gets it who did not ask for it.
        .init(
            "added", "e: { post: { responses: {} } }",
            "e: { post: { responses: {} } }, f: { post: { responses: {} } }", "swift"),
        // It does not come any more, and its case is gone.
        .init(
            "removed", "e: { post: { responses: {} } }, f: { post: { responses: {} } }",
            "e: { post: { responses: {} } }", "swift"),
        // The receiver has no route for it.
        .init(
            "method-changed", "e: { post: { responses: {} } }", "e: { put: { responses: {} } }", "response"),
        // One more case, and another name for the first.
        .init(
            "added", "e: { post: { responses: {} } }",
            "e: { post: { responses: {} }, put: { responses: {} } }", "swift"),
        .init(
            "removed", "e: { post: { responses: {} }, put: { responses: {} } }",
            "e: { post: { responses: {} } }", "swift"),
        .init(
            "deprecated", "e: { post: { responses: {} } }",
            "e: { post: { deprecated: true, responses: {} } }", ""),
        // The case has a value now; an old client reads no body and misses none.
        .init(
            "body-added", "e: { post: { responses: {} } }",
            "e: { post: { requestBody: { content: { text/plain: { schema: { type: string } } } }, responses: {} } }",
            "swift"),
        // What was read is not there.
        .init(
            "body-removed",
            "e: { post: { requestBody: { content: { text/plain: { schema: { type: string } } } }, responses: {} } }",
            "e: { post: { responses: {} } }", "response swift"),
        // JSON is read before text, where both are said; and text is no JSON.
        .init(
            "media-type-changed",
            "e: { post: { requestBody: { content: { text/plain: { schema: { type: string } } } }, responses: {} } }",
            "e: { post: { requestBody: { content: { application/json: { schema: { type: string } } } }, responses: {} } }",
            "response swift"),
        // The client goes on to answer 200.
        .init(
            "answer-removed", "e: { post: { responses: { '200': { description: d } } } }",
            "e: { post: { responses: { '204': { description: d } } } }", "request"),
        // A range has it.
        .init(
            "answer-added", "e: { post: { responses: { '200': { description: d } } } }",
            "e: { post: { responses: { 2XX: { description: d } } } }", ""),
    ]

    @Test(arguments: cases)
    func webhooksAreJudged(item: DiffCase) throws {
        try item.named("webhook").expect("webhooks: { \(item.old) }", "webhooks: { \(item.new) }")
        try item.named("webhook").expect(
            "paths: {}\nx-webhooks: { \(item.old) }", "paths: {}\nx-webhooks: { \(item.new) }")
    }

    @Test(arguments: cases)
    func callbacksAreJudged(item: DiffCase) throws {
        func document(_ events: String) -> String {
            let callbacks = events.replacingEvents { "'{$request.body#/\($0)}': " }
            return "paths: { /a: { post: { operationId: a, callbacks: { \(callbacks) }, responses: {} } } }"
        }
        try item.named("callback").expect(document(item.old), document(item.new))
    }

    /// The URL that a callback is made to is not the one that the client gave.
    @Test func aCallbackAtAnotherURLIsNotReceived() throws {
        func document(_ url: String) -> String {
            "paths: { /a: { post: { operationId: a, callbacks: { e: { '\(url)': { post: { responses: {} } } } }, responses: {} } } }"
        }
        try DiffCase("callback-url-changed", "", "", "request").expect(
            document("{$request.body#/url}"), document("{$request.query.url}"))
    }

    /// What arrives is read: null where none was cannot be, also behind references.
    @Test func whatArrivesIsRead() throws {
        func document(_ type: String) -> String {
            """
            paths: { /a: { post: { operationId: a, callbacks: { e: { $ref: '#/components/callbacks/E' } }, responses: {} } } }
            components:
              callbacks: { E: { '{$url}': { post: { requestBody: { $ref: '#/components/requestBodies/B' }, responses: {} } } } }
              requestBodies: { B: { content: { application/json: { schema: { type: object, required: [x], properties: { x: { type: \(type) } } } } } } }
            """
        }
        try DiffCase("nullable-added", "", "", "response swift").expect(
            document("string"), document("[string, 'null']"))
    }
}

extension DiffCase {
    fileprivate func named(_ kind: String) -> DiffCase {
        let sides = [(request, "request"), (response, "response"), (swift, "swift")]
        return DiffCase(kind + "-" + rule, old, new, sides.filter(\.0).map(\.1).joined(separator: " "))
    }
}

extension String {
    /// Each event `x: { … }` as a callback that is made to one URL.
    fileprivate func replacingEvents(_ url: (String) -> String) -> String {
        var result = ""
        var depth = 0
        var name = ""
        for character in self {
            if depth == 0, character.isLetter { name.append(character) }
            if character == "{" {
                if depth == 0 { result += "{ " + url(name) }
                depth += 1
            }
            result.append(character)
            if character == "}" {
                depth -= 1
                if depth == 0 {
                    result += " }"
                    name = ""
                }
            }
        }
        return result
    }
}
