import Foundation
import Testing

@testable import OpenAPIGeneration

@Suite struct DeterminismTests {
    private static let documents = [
        "Petstore.openapi.yaml", "PetstoreExpanded.openapi.yaml", "Traps.openapi.yaml",
    ]

    @Test(arguments: documents)
    func shuffledKeysGiveTheSameBytes(name: String) throws {
        let text = try fixture(name)
        let root = try node(text)
        let first = Generator(namespace: "Test").run(Array(text.utf8), path: "Test.openapi.json").files
        let original = Generator(namespace: "Test").run(Array(text.utf8), path: "Test.openapi.yaml").files
        #expect(first.isEmpty)
        #expect(!original.isEmpty)
        for _ in 0..<8 {
            let shuffled = Array(document(root).utf8)
            let files = Generator(namespace: "Test").run(shuffled, path: "x/Test.openapi.json").files
            for (file, expected) in zip(files, original) {
                let text = file.text.replacing("Test.openapi.json", with: "Test.openapi.yaml")
                #expect(file.name == expected.name)
                #expect(text == expected.text)
            }
            #expect(files.count == original.count)
        }
    }

    /// The tree as JSON, the keys of each object in random order.
    private func document(_ node: Node) -> String {
        switch node.value {
        case .string(let text):
            var result = "\""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"", "\\": result += "\\" + String(scalar)
                case _ where scalar.value < 0x20:
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result + "\""
        case .array(let items): return "[" + items.map { document($0) }.joined(separator: ",") + "]"
        case .object(let object):
            let members = object.members.shuffled().map { member in
                document(Node(value: .string(member.key), position: .start)) + ":" + document(member.value)
            }
            return "{" + members.joined(separator: ",") + "}"
        default: return json(node)
        }
    }

    @Test func theSetOfFilesDependsOnTheNameAlone() throws {
        let empty = Rendered("openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: {}\n")
        #expect(empty.output.files.map(\.name) == Generator.fileNames(namespace: "Test"))
        #expect(empty.output.files.count == 50)
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
