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

    @Test(arguments: fixtureNames)
    func shuffledKeysGiveTheSameBytes(name: String) throws {
        let root = try node(try fixture(name + ".openapi.yaml"))
        let original = try Rendered.fixture(name).output
        #expect(!original.files.isEmpty)
        var shuffler = DocumentShuffler(source: RepeatableRandom(seed: 17))
        for _ in 0..<3 {
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
