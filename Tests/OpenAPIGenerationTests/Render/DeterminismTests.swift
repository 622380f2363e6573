import Foundation
import TestTiers
import Testing

@testable import OpenAPIGeneration

@Suite struct DeterminismTests {
    @Test func everyFixtureIsListed() throws {
        let folder = Bundle.module.bundleURL.appending(path: "Fixtures").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let documents = files.filter { $0.contains(".openapi.") }.sorted()
        #expect(documents == fixtureNames.map { $0 + ".openapi.yaml" })
    }

    @Test(arguments: fixtureNames, FileLayout.allCases)
    func shuffledKeysGiveTheSameBytes(name: String, layout: FileLayout) throws {
        let document = try fixture(name + ".openapi.yaml")
        let root = try node(document)
        var generator = Generator(namespace: "Test")
        generator.layout = layout
        let original = generator.run(Array(document.utf8), path: "Test.openapi.yaml")
        #expect(!original.files.isEmpty)
        var shuffler = DocumentShuffler(source: RepeatableRandom(seed: 17))
        for _ in 0..<3 {
            let shuffled = Array(shuffler.json(root).utf8)
            let output = generator.run(shuffled, path: "x/Test.openapi.json")
            for (file, expected) in zip(output.files, original.files) {
                let text = file.text.replacing("Test.openapi.json", with: "Test.openapi.yaml")
                #expect(file.name == expected.name)
                #expect(text == expected.text)
            }
            #expect(output.files.count == original.files.count)
            #expect(output.names == original.names)
        }
    }

    /// In each file, and in each type.
    @Test(arguments: fixtureNames)
    func typesAreInTheOrderOfTheirNames(name: String) throws {
        for file in try Rendered.fixture(name).output.files
        where file.name.contains("Schemas") || file.name.contains("Failures") {
            // The last name at each depth, until a shallower line.
            var last: [Int: String] = [:]
            for line in file.text.split(separator: "\n") {
                let depth = line.prefix { $0 == " " }.count
                for deeper in last.keys where deeper > depth { last[deeper] = nil }
                let words = line.split { [" ", ":"].contains($0) }.map { String($0) }
                guard words.count > 3, words[0] == "public" else { continue }
                let type: String
                switch words[1] {
                case "nonisolated": type = words[3]
                case "typealias": type = words[2]
                default: continue
                }
                if let before = last[depth] { #expect(before < type, "\(file.name)") }
                last[depth] = type
            }
        }
    }

    @Test(arguments: fixtureNames)
    func whatIsEmittedIsWellFormed(name: String) throws {
        for file in try Rendered.fixture(name).output.files {
            #expect(SourceCheck.fault(in: file.text) == nil, "\(file.name)")
        }
    }

    @Test func theSetOfFilesDependsOnTheNameAlone() throws {
        let empty = Rendered("openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: {}\n")
        #expect(empty.output.files.map(\.name) == Generator.fileNames(namespace: "Test"))
        #expect(empty.output.files.count == 51)
        let petstore = try Rendered.fixture("Petstore")
        #expect(petstore.output.files.map(\.name) == Generator.fileNames(namespace: "Test"))
    }

    @Test func oneEditOfASchemaChangesOneFile() throws {
        let after = try fixture("Petstore.openapi.yaml").replacing(
            "tag: { type: string }", with: "tag: { type: string, description: A label. }")
        let files = zip(try Rendered.fixture("Petstore").output.files, Rendered(after).output.files)
        #expect(files.count { $0 != $1 } == 1)
    }

    @Test func hashesAreFNV1a() {
        #expect(StableHash.hash("") == 0xcbf2_9ce4_8422_2325)
        #expect(StableHash.hash("a") == 0xaf63_dc4c_8601_ec8c)
        #expect(StableHash.hash("foobar") == 0x8594_4171_f739_67e8)
    }
}
