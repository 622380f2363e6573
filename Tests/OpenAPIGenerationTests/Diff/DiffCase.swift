import Testing

@testable import OpenAPIGeneration

/// One change of a document and what it means. "Request": a request of an old client is refused or no longer does
/// what it says. "Response": an old client cannot read an answer. "Swift": code that uses the old client no longer
/// compiles.
struct DiffCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let old: String
    let new: String
    let request: Bool
    let response: Bool
    let swift: Bool

    init(_ rule: String, _ old: String, _ new: String, _ breaks: String) {
        self.rule = rule
        self.old = old
        self.new = new
        request = breaks.contains("request")
        response = breaks.contains("response")
        swift = breaks.contains("swift")
    }

    var testDescription: String { "\(rule): \(old) -> \(new)" }
}

extension DiffCase {
    private static let head = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\n"

    /// A document after its first lines.
    static func input(_ text: String) -> Generator.Input {
        Generator.Input(bytes: Array((head + text).utf8), path: "v.yaml")
    }

    static func report(_ old: String, _ new: String) throws -> DiffReport {
        try Generator(namespace: "Test").diff(input(old), NoDocuments(), input(new), NoDocuments())
    }

    /// Expects the change and its verdicts, and none from a document to itself.
    func expect(_ old: String, _ new: String) throws {
        let changes = try Self.report(old, new).changes
        #expect(changes.contains { $0.rule == rule }, "\(changes.map(\.rule))")
        func breaks(_ side: (Change) -> Verdict) -> Bool { changes.contains { side($0) == .breaking } }
        #expect(breaks(\.request) == request, "request: \(changes)")
        #expect(breaks(\.response) == response, "response: \(changes)")
        #expect(breaks(\.swift) == swift, "swift: \(changes)")
        #expect(try Self.report(old, old).changes.isEmpty)
        #expect(try Self.report(new, new).changes.isEmpty)
    }
}
