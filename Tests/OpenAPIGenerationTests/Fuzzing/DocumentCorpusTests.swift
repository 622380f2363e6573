import Foundation
import Testing

@testable import OpenAPIGeneration

/// Whatever comes in: findings or source, no crash, and nothing of the document outside its place.
@Suite struct DocumentCorpusTests {
    /// Sources that were generated from hostile documents.
    private func hostileSources() throws -> [String] {
        var result: [String] = []
        for entry in try DocumentCorpus.generator.entries() {
            let words = entry.split(separator: 0x0A, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            for bytes in [entry, Array(HostileDocument.text(words).utf8)] {
                let output = Generator(namespace: "Fuzz").run(bytes, path: "f.yaml")
                #expect(output.hasErrors == output.files.isEmpty)
                result.append(output.files.map(\.text).joined())
            }
        }
        return result
    }

    @Test(arguments: DocumentCorpus.allCases)
    func readersEnd(corpus: DocumentCorpus) throws {
        let entries = try corpus.entries()
        #expect(entries.count >= 70)
        #expect(Set(entries).count == entries.count)
        for entry in entries {
            for path in ["f.json", "f.yaml"] { _ = finding(entry, path: path) }
        }
    }

    @Test func hostileNamesStayInTheirPlaces() throws {
        let sources = try hostileSources()
        #expect(sources.count { !$0.isEmpty } > 60)
        for source in sources { #expect(SourceCheck.fault(in: source) == nil) }
    }

    /// What comes out is a lock that can be read, and that changes nothing.
    @Test func hostileNamesAreLocked() throws {
        for entry in try DocumentCorpus.generator.entries() {
            let words = entry.split(separator: 0x0A, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            for bytes in [entry, Array(HostileDocument.text(words).utf8)] {
                var generator = Generator(namespace: "Fuzz")
                let output = generator.run(bytes, path: "f.yaml")
                var lock = LockFile()
                lock.set(output.names, of: "f.yaml")
                #expect(try LockFile(Array(lock.text.utf8)).text == lock.text)
                generator.lock = .init(bytes: Array(lock.text.utf8), path: "openapi.lock")
                let again = generator.run(bytes, path: "f.yaml")
                #expect(again.files == output.files, "\(words)")
            }
        }
    }

    /// Broken in one place each: every entry with a byte changed, left out or doubled.
    @Test func brokenDocumentsEnd() throws {
        var random = SplitMix(state: 7)
        for entry in try DocumentCorpus.generator.entries() where !entry.isEmpty {
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
        for (offset, source) in try hostileSources().enumerated() where !source.isEmpty {
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

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
