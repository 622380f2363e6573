import Foundation
import Testing

@testable import OpenAPIGeneration

@Suite struct DeterminismTests {
    /// Every document of the fixtures.
    private static var documents: [String] {
        let folder = Bundle.module.bundleURL.appending(path: "Fixtures").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.contains(".openapi.") }.sorted()
    }

    @Test func allFixturesAreShuffled() {
        #expect(Self.documents.count >= 5)
    }

    @Test(arguments: documents)
    func shuffledKeysGiveTheSameBytes(name: String) throws {
        let text = try fixture(name)
        let root = try node(text)
        let original = Generator(namespace: "Test").run(Array(text.utf8), path: "Test.openapi.yaml")
        #expect(!original.files.isEmpty)
        var shuffler = DocumentShuffler(source: SplitMix(state: 17))
        for _ in 0..<8 {
            let shuffled = Array(shuffler.json(root).utf8)
            let output = Generator(namespace: "Test").run(shuffled, path: "x/Test.openapi.json")
            for (file, expected) in zip(output.files, original.files) {
                let text = file.text.replacing("Test.openapi.json", with: "Test.openapi.yaml")
                #expect(file.name == expected.name)
                #expect(text == expected.text)
            }
            #expect(output.files.count == original.files.count)
            #expect(output.names == original.names)
        }
    }

    @Test(arguments: documents)
    func whatIsEmittedIsWellFormed(name: String) throws {
        for file in Generator(namespace: "Test").run(Array(try fixture(name).utf8), path: name).files {
            #expect(SourceCheck.fault(in: file.text) == nil, "\(file.name)")
        }
    }

    @Test func theSetOfFilesDependsOnTheNameAlone() throws {
        let empty = Rendered("openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: {}\n")
        #expect(empty.output.files.map(\.name) == Generator.fileNames(namespace: "Test"))
        #expect(empty.output.files.count == 51)
        let petstore = Rendered(try fixture("Petstore.openapi.yaml"))
        #expect(petstore.output.files.map(\.name) == Generator.fileNames(namespace: "Test"))
    }

    @Test func oneEditOfASchemaChangesOneFile() throws {
        let before = try fixture("Petstore.openapi.yaml")
        let after = before.replacing(
            "tag: { type: string }", with: "tag: { type: string, description: A label. }")
        let changed = zip(Rendered(before).output.files, Rendered(after).output.files).filter { $0 != $1 }
        #expect(changed.count == 1)
    }

    @Test func hashesAreFNV1a() {
        #expect(StableHash.hash("") == 0xcbf2_9ce4_8422_2325)
        #expect(StableHash.hash("a") == 0xaf63_dc4c_8601_ec8c)
        #expect(StableHash.hash("foobar") == 0x8594_4171_f739_67e8)
    }
}
