import Foundation
import TestTiers
import Testing

@testable import OpenAPIGeneration

/// Whatever comes in: findings or source, no crash, and nothing of the document outside its place.
@Suite struct DocumentCorpusTests {
    /// Each entry of the corpus, and a document that is made of its lines.
    private static let documents: [[UInt8]] = entries.flatMap { entry in
        let words = entry.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        return [entry, Array(HostileDocument.text(words).utf8)]
    }

    private static let entries = (try? DocumentCorpus.generator.entries()) ?? []

    /// What each document gives. It is generated once for all tests.
    private static let outputs = documents.map { Generator(namespace: "Fuzz").run($0, path: "f.yaml") }

    private static var sources: [String] { outputs.map { $0.files.map(\.text).joined() } }

    @Test(arguments: DocumentCorpus.allCases)
    func readersEnd(corpus: DocumentCorpus) throws {
        let entries = try corpus.entries()
        #expect(entries.count >= 70)
        #expect(Set(entries).count == entries.count)
        for entry in entries {
            for path in ["f.json", "f.yaml"] { _ = finding(entry, path: path) }
        }
    }

    @Test func hostileNamesStayInTheirPlaces() {
        for output in Self.outputs { #expect(output.hasErrors == output.files.isEmpty) }
        let sources = Self.sources
        #expect(sources.count { !$0.isEmpty } > 60)
        for source in sources { #expect(SourceCheck.fault(in: source) == nil) }
    }

    /// What comes out is a lock that can be read, and that changes nothing.
    @Test func hostileNamesAreLocked() throws {
        for (document, output) in zip(Self.documents, Self.outputs) {
            var lock = LockFile()
            lock.set(output.names, of: "f.yaml")
            #expect(try LockFile(Array(lock.text.utf8)).text == lock.text)
            var generator = Generator(namespace: "Fuzz")
            generator.lock = .init(bytes: Array(lock.text.utf8), path: "openapi.lock")
            let again = generator.run(document, path: "f.yaml")
            #expect(again.files == output.files, "\(String(decoding: document, as: UTF8.self))")
        }
    }

    /// Broken in one place each: every entry with a byte changed, left out or doubled.
    @Test func brokenDocumentsEnd() {
        var random = RepeatableRandom(seed: 7)
        for entry in Self.entries where !entry.isEmpty {
            for _ in 0..<12 {
                var bytes = entry
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[place], at: place)
                }
                let output = Generator(namespace: "Fuzz").run(bytes, path: "f.yaml")
                for file in output.files { #expect(SourceCheck.fault(in: file.text) == nil) }
            }
        }
    }

    /// The compiler's own parser says so, too.
    @Test func whatComesOutParses() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var paths: [String] = []
        for (offset, source) in Self.sources.enumerated() where !source.isEmpty {
            // Imports of the files that were put together.
            let lines = source.split(separator: "\n").filter { !$0.contains("import GatewayClient") }
            let file = folder.appending(path: "f\(offset).swift")
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            paths.append(file.path)
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc", "-frontend", "-parse"] + paths
        let error = Pipe()
        process.standardError = error
        try process.run()
        let text = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text.prefix(2000))")
        #expect(paths.count > 60)
    }

    /// Documents that are small and mean much, or are nothing but depth.
    enum Bomb: CaseIterable {
        case aliases, lists, objects, sequences, flow, digits

        var text: String {
            switch self {
            case .aliases:
                zip("abcdefgh", "bcdefghi").reduce("openapi: 3.1.0\na: &a [x,x,x,x,x,x,x,x,x,x]\n") {
                    let items = Array(repeating: "*\($1.0)", count: 10).joined(separator: ",")
                    return $0 + "\($1.1): &\($1.1) [\(items)]\n"
                }
            case .lists: String(repeating: "[", count: 1_000_000)
            case .objects: String(repeating: "{\"a\":", count: 500_000)
            case .sequences: String(repeating: "- ", count: 300_000)
            case .flow: "a: " + String(repeating: "[", count: 100_000)
            case .digits: "openapi: " + String(repeating: "9", count: 2_000_000)
            }
        }
    }

    @Test(arguments: Bomb.allCases)
    func bombsEnd(bomb: Bomb) {
        for path in ["f.json", "f.yaml"] {
            let output = Generator(namespace: "Fuzz").run(Array(bomb.text.utf8), path: path)
            #expect(output.hasErrors)
            #expect(output.diagnostics.count == 1)
        }
    }

    /// Numbers without bounds are texts until they are asked for.
    @Test func hugeNumbersAreNoTrouble() {
        let digits = String(repeating: "9", count: 100_000)
        let rendered = Rendered(
            schemas:
                "A: { type: object, properties: { a: { type: integer, minimum: -\(digits), maximum: 1e\(digits), default: \(digits) } } }\nB: { enum: [1, \(digits)] }"
        )
        #expect(!rendered.output.hasErrors)
        #expect(SourceCheck.fault(in: rendered.source) == nil)
    }
}
