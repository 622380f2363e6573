import Foundation
import Testing

@testable import OpenAPIGeneration

/// The checks of the build plugin, compiled here from its file.
@Suite struct TargetCheckTests {
    private let folder = ToolRunner()

    /// The messages for a target of some files, with the folder removed.
    private func messages(
        _ files: [String: String], dependencies: Set<String> = ["GatewayClient"], package: String? = "gateway"
    ) throws -> [String] {
        let urls = try files.map { name, text in
            let url = folder.directory.appending(path: name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            return URL(filePath: try folder.write(text, name))
        }
        let documents = urls.sorted { $0.path < $1.path }.compactMap { file in
            DocumentName.namespace(ofFile: file.lastPathComponent).map { (name: $0, file: file) }
        }
        let check = TargetCheck(
            target: "App", dependencies: dependencies, package: package, files: urls, documents: documents)
        return check.messages().map { message in
            (message.isError ? "error: " : "warning: ")
                + message.text.replacing(folder.directory.path + "/", with: "")
        }
    }

    @Test func aCompleteTargetHasNoMessages() throws {
        #expect(
            try messages([
                "openapi.yaml": "", "openapi.gateway.yaml": "", "Pet.openapi.json": "", "Pet.gateway.yml": "",
                "models/pet.yaml": "openapi: 3.1.0", "PetApp.swift": "",
            ]).isEmpty)
    }

    @Test func theMissingLibraryIsNamedWithItsPackage() throws {
        #expect(
            try messages(["a.openapi.yaml": ""], dependencies: ["Other"]) == [
                "error: App uses GatewayOpenAPIPlugin but does not depend on GatewayClient; add "
                    + ".product(name: \"GatewayClient\", package: \"gateway\") to \"dependencies\" of the target in "
                    + "Package.swift"
            ])
        let own = try messages(["a.openapi.yaml": ""], dependencies: [], package: nil)
        #expect(own.first?.contains("; add \"GatewayClient\" to ") == true)
    }

    @Test(arguments: [
        ("petstore.yaml", "openapi: 3.1.0\n", "petstore.openapi.yaml"),
        ("petstore.yml", "# Pets\n\"openapi\": 3.1.0\n", "petstore.openapi.yml"),
        ("petstore.json", "{\n \"openapi\": \"3.0.0\"}", "petstore.openapi.json"),
    ])
    func aDocumentWithAnotherNameIsNamed(file: String, text: String, name: String) throws {
        #expect(
            try messages([file: text, "a.yaml": "a: { openapi: 1 }\n"]) == [
                "warning: \(file) of App is an OpenAPI document, but only openapi.yaml and <Name>.openapi.yaml, .yml or "
                    + ".json are generated; rename it to \(name)"
            ])
    }

    @Test func aTargetWithoutADocumentIsToldWhichAreGenerated() throws {
        #expect(
            try messages(["a.yaml": "a: 1", "A.swift": ""]) == [
                "warning: App uses GatewayOpenAPIPlugin but has no document; only openapi.yaml and "
                    + "<Name>.openapi.yaml, .yml or .json are generated"
            ])
    }

    @Test func aConfigurationWithoutItsDocumentIsNamed() throws {
        #expect(
            try messages(["a.openapi.yaml": "", "b.gateway.yaml": "", "c/a.gateway.json": ""]) == [
                "warning: b.gateway.yaml of App has no document; a configuration has the name and the folder of its "
                    + "document, such as b.openapi.yaml",
                "warning: a.gateway.json of App has no document; a configuration has the name and the folder of its "
                    + "document, such as a.openapi.yaml",
            ])
    }

    @Test(arguments: [
        (["Pet.openapi.yaml": "", "PetClient.openapi.yaml": ""], "PetClient"),
        (
            ["Pet.openapi.yaml": "", "a.openapi.yaml": "", "a.gateway.yaml": "name: Pet # as the other\n"],
            "Pet"
        ),
        (
            ["Pet.openapi.yaml": "", "a.openapi.json": "", "a.gateway.json": "{\n  \"name\": \"Pet\",\n}"],
            "Pet"
        ),
    ])
    func documentsWithOneTypeAreNamed(files: [String: String], type: String) throws {
        let messages = try messages(files)
        #expect(messages.count == 1)
        #expect(messages.first?.contains(" of App both generate \(type); set another \"name\" in ") == true)
        #expect(messages.first?.hasPrefix("error: ") == true)
    }

    @Test func namesThatDifferDoNotCollide() throws {
        let files = [
            "Pet.openapi.yaml": "", "a.openapi.yaml": "",
            "a.gateway.yaml": "names:\n  name: Pet\nname: 'Zoo'\n",
        ]
        #expect(try messages(files).isEmpty)
    }

    @Test(arguments: [
        ("orders.openapi.yaml", "", "@main\nstruct Orders {\n}\n", "Orders", 2),
        ("orders.openapi.yaml", "", "/* { */ public final class OrdersClient {}\n", "OrdersClient", 1),
        ("orders.openapi.yaml", "", "let a = \"{ \\(b(\"{\")) \"\nprivate enum `Orders` {}\n", "Orders", 2),
        ("a.openapi.yaml", "name: Shop\n", "extension Shop {}\ntypealias Shop = Int\n", "Shop", 2),
    ])
    func aTypeWithTheNameOfAGeneratedOneIsNamed(
        document: String, configuration: String, source: String, type: String, line: Int
    ) throws {
        let stem = document.split(separator: ".")[0]
        #expect(
            try messages([document: "", "\(stem).gateway.yaml": configuration, "Main.swift": source]) == [
                "error: Main.swift:\(line) declares \(type), and a type with this name is generated from \(document); "
                    + "rename the declared type, or set another \"name\" in \(stem).gateway.yaml"
            ])
    }

    @Test(arguments: [
        "enum App {\nstruct Orders {}\n}", "// struct Orders\n/* /* */ class Orders */",
        "extension Orders {}",
        "let a = \"\"\"\nstruct Orders {}\n\"\"\"", "let a = #\"\"\"\n\"\"\"\nstruct Orders {}\n\"\"\"#",
        "import struct Orders.Order", "struct OrdersView { let orders: Orders }",
        "func f(_ a: Orders = .init()) {}",
        "#if os(macOS)\nstruct Orders {}\n#endif", "struct A: P { static func Orders() { class Orders {} } }",
        "let a = \"\\(f(\"}\"))\"; struct B { struct Orders {} }",
        "let a = #\"\"}\"#; enum C { enum Orders {} }",
    ])
    func otherUsesOfTheNameAreNot(source: String) throws {
        #expect(try messages(["orders.openapi.yaml": "", "Main.swift": source]).isEmpty)
    }

    @Test func aFileWithTheNameOfAGeneratedOneIsNamed() throws {
        #expect(
            try messages(["pet.openapi.yaml": "", "Sub/PetClient.swift": "", "PetModel.swift": ""]) == [
                "error: Sub/PetClient.swift has the name of a file that is generated from pet.openapi.yaml; rename it, "
                    + "or delete it if generate-client wrote it"
            ])
    }

    @Test func filesOfTheCommandPluginAreNamedOnce() throws {
        let line = Generator.firstLine(ofFilesFrom: "pet.openapi.yaml") + "\n"
        #expect(
            try messages([
                "pet.openapi.yaml": "", "Generated/Pet/A.swift": line, "Generated/Pet/B.swift": line,
                "Generated/C.swift": "// Generated by another tool from pet.openapi.yaml.",
            ]) == [
                "error: Generated/Pet/A.swift was written by generate-client, and GatewayOpenAPIPlugin generates the "
                    + "same types; delete the folder, or remove the plugin from App"
            ])
    }
}
