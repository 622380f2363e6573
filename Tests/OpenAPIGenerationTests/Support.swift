import Foundation
import Synchronization
import Testing

@testable import OpenAPIGeneration

/// A document that was generated in a test, with its source at hand.
struct Rendered: Sendable, CustomTestStringConvertible {
    let output: Generator.Output
    let source: String
    init(
        _ text: String, path: String = "Test.openapi.yaml", namespace: String = "Test",
        documents: any DocumentSource = NoDocuments(), configuration: String? = nil, lock: String? = nil
    ) {
        var generator = Generator(namespace: namespace)
        generator.configuration = configuration.map { .init(bytes: Array($0.utf8), path: "c.yaml") }
        generator.lock = lock.map { .init(bytes: Array($0.utf8), path: "openapi.lock") }
        output = generator.run(Array(text.utf8), path: path, documents: documents)
        source = output.files.map(\.text).joined()
    }

    /// A document of schemas alone.
    init(schemas: String, version: String = "3.1.0") {
        let lines = schemas.split(separator: "\n", omittingEmptySubsequences: false)
        let indented = lines.map { "    " + $0 }.joined(separator: "\n")
        self.init(
            "openapi: \(version)\ninfo: { title: T, version: '1' }\ncomponents:\n  schemas:\n\(indented)\n")
    }

    /// A document of paths alone.
    init(paths: String, rest: String = "", version: String = "3.1.0") {
        let lines = paths.split(separator: "\n", omittingEmptySubsequences: false)
        let indented = lines.map { "  " + $0 }.joined(separator: "\n")
        self.init(
            "openapi: \(version)\ninfo: { title: T, version: '1' }\npaths:\n\(indented)\n\(rest)\n")
    }

    /// A document with the operation `op`.
    static func operation(body: String = "", responses: String, rest: String = "") -> Rendered {
        let request = body.isEmpty ? "" : "\n    requestBody: { required: true, content: { \(body) } }"
        return Rendered(
            paths: "/a:\n  post:\n    operationId: op\(request)\n    responses: { \(responses) }", rest: rest)
    }

    /// The source without the breaks of long lines.
    var unbroken: String {
        let literals = source.replacing(/\\\n +/, with: "")
            .replacing(/([(\[,:])\n +"""\n +/) { $0.output.1 + (",:".contains($0.output.1) ? " \"" : "\"") }
            .replacing(/"""\n +|\n +"""/, with: "\"")
        return literals.replacing(/([(\[,:])\n +/) { match in
            String(match.output.1) + (",:".contains(match.output.1) ? " " : "")
        }.replacing(/\n +([)\]])/) { $0.output.1 }
    }

    /// A document of the fixtures folder, by its name without `.openapi.yaml`. It is generated once for all tests.
    static func fixture(_ name: String) throws -> Rendered {
        if let known = fixtures.withLock({ $0[name] }) { return known }
        let rendered = Rendered(try OpenAPIGenerationTests.fixture(name + ".openapi.yaml"))
        fixtures.withLock { $0[name] = rendered }
        return rendered
    }

    private static let fixtures = Mutex<[String: Rendered]>([:])

    /// The findings as they are printed.
    var printed: String {
        let printer = DiagnosticPrinter(paths: output.sources, usesColour: false)
        return output.diagnostics.map { printer.text(of: $0) }.joined()
    }

    /// The findings as `line:column severity rule`.
    var findings: [String] {
        output.diagnostics.map {
            "\($0.position.map { "\($0.line):\($0.column)" } ?? "-") \($0.severity) \($0.rule.name)"
        }
    }

    /// What a failed expectation shows: not the whole source.
    var testDescription: String { "a document with \(findings)" }

    var rules: [String] { output.diagnostics.map(\.rule.name) }

    /// Whether the source contains a line, or the lines into which it was broken.
    func contains(_ line: String) -> Bool { source.contains(line) || unbroken.contains(line) }
}

/// The findings of reading some bytes, as `line:column rule`.
func finding(_ text: String, path: String) -> String? {
    finding(Array(text.utf8), path: path)
}

func finding(_ bytes: [UInt8], path: String) -> String? {
    do throws(Diagnostic) {
        _ = try DocumentReader.read(bytes, path: path, sink: DiagnosticSink())
        return nil
    } catch {
        return "\(error.position.map { "\($0.line):\($0.column)" } ?? "-") \(error.rule.name)"
    }
}

/// Parses, or records why not.
func node(_ text: String, path: String = "d.yaml") throws -> Node {
    try DocumentReader.read(Array(text.utf8), path: path, sink: DiagnosticSink())
}

/// A tree as compact JSON, keys in order.
func json(_ node: Node) -> String {
    switch node.value {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .number(let text): text
    case .string(let text): SwiftText.literal(text)
    case .array(let items): "[" + items.map { json($0) }.joined(separator: ",") + "]"
    case .object(let object):
        "{" + object.members.map { SwiftText.literal($0.key) + ":" + json($0.value) }.joined(separator: ",")
            + "}"
    }
}

/// A file of the fixtures folder.
func fixture(_ name: String) throws -> String {
    try String(contentsOf: fixtureURL(name), encoding: .utf8)
}

func fixtureURL(_ name: String) throws -> URL {
    let bundle = Bundle.module.bundleURL
    return bundle.appending(path: "Fixtures").appending(path: name)
}

/// The documents of the fixtures folder, without `.openapi.yaml`.
let fixtureNames = ["Idioms30", "Idioms31", "Petstore", "PetstoreExpanded", "Traps"]
