import Foundation
import Testing

@testable import OpenAPIGeneration

/// The build plugin cannot import the tool's rules and has its own, compiled here from the same file: both are held to
/// one table.
@Suite struct DocumentNameTests {
    @Test(arguments: [
        ("openapi.yaml", "OpenAPI"), ("OpenAPI.json", "OpenAPI"), ("openapi.yml", "OpenAPI"),
        ("Petstore.openapi.yaml", "Petstore"), ("petstore.openapi.json", "Petstore"),
        ("pet-store.openapi.yml", "PetStore"), ("pet_store v2.OpenAPI.YAML", "PetStoreV2"),
        ("petStore.openapi.yaml", "PetStore"), ("HTTPServer.openapi.yaml", "HTTPServer"),
        ("a.b.c.openapi.yaml", "ABC"), ("2fa.openapi.yaml", "_2fa"), ("-x-.openapi.yaml", "X"),
        ("été.openapi.yaml", "Été"), ("e\u{301}te.openapi.yaml", "ETe"), ("straße.openapi.yaml", "Straße"),
        ("ßa.openapi.yaml", "ßa"), ("x².openapi.yaml", "X"), ("日本.openapi.yaml", "日本"),
        ("v١.openapi.yaml", "V"),
    ])
    func pluginAndToolReadOneName(file: String, name: String) {
        #expect(DocumentName.namespace(ofFile: file) == name)
        #expect(Generator.namespace(ofFile: file) == name)
    }

    /// The tool keeps clear of names that generated code needs. The plugin's begins the names of files only.
    @Test(arguments: ["String", "Date", "JSONValue", "Self"])
    func aNameThatIsTakenStillBeginsTheNamesOfFiles(word: String) {
        #expect(DocumentName.namespace(ofFile: word + ".openapi.yaml") == word)
        #expect(Generator.namespace(ofFile: word + ".openapi.yaml") == word + "_")
        #expect(Generator.isValid(filePrefix: word))
    }

    @Test(arguments: [
        "petstore.yaml", "README.md", "openapi.lock", "a.openapi.txt", ".openapi.yaml", "Zoo.gateway.yaml",
    ])
    func otherFilesAreNoDocuments(file: String) {
        #expect(DocumentName.namespace(ofFile: file) == nil)
    }

    @Test(arguments: ["Petstore", "_2fa", "Été", "String"])
    func pluginAndToolNameTheSameFiles(name: String) {
        #expect(DocumentName.outputs(namespace: name) == Generator.fileNames(namespace: name))
        #expect(Generator.isValid(filePrefix: name))
    }

    @Test(arguments: ["", "a b", "../x", "a/b", "a.b", "_", "x\n", "²"])
    func fileNamesBeginWithAWord(prefix: String) {
        #expect(!Generator.isValid(filePrefix: prefix))
    }
}
