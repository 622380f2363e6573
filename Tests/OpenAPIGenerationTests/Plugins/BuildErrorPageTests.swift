import DocumentedErrors
import Foundation
import Testing

/// The documentation page on errors: what a build says.
@Suite(.timeLimit(.minutes(2))) struct BuildErrorPageTests {
    private let tool = ToolRunner()

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func thePageSaysWhatABuildSays() throws {
        let rows = [
            ErrorTable.Row(
                "A system package is missing", message: try header("CLibcurl", ["-nostdinc"]),
                guidance: "install the package"),
            ErrorTable.Row(
                "libjwt 3 is installed", message: try header("CLibjwt", ["-I", try folderOfLibjwt3()]),
                guidance: "install `libjwt-dev` of the distribution"),
            ErrorTable.Row(
                "The system is not Linux", message: try header("CLibcurl", ["-U__linux__"]),
                guidance: "build on Linux"),
            ErrorTable.Row(
                "The document's name lacks `.openapi`",
                message: try plugin(["bookshop.yaml": "openapi: 3.1.0\n"]), guidance: "rename it"),
            ErrorTable.Row(
                "The plugin without the product",
                message: try plugin(["bookshop.openapi.yaml": ""], dependencies: []),
                guidance: "add the dependency"),
            ErrorTable.Row(
                "The product without the plugin", message: try compiled("let api = BookshopClient()"),
                guidance: "add `GatewayOpenAPIPlugin` to `plugins` of the target"),
            ErrorTable.Row(
                "Two documents of one name",
                message: try plugin([
                    "shop.openapi.yaml": "", "store.openapi.yaml": "",
                    "store.gateway.yaml": "name: Shop\n",
                ]),
                guidance: "rename one"),
            ErrorTable.Row(
                "A configuration key with a typing error",
                message: try generated(Self.document, configuration: "nam: Store\n"),
                guidance: "correct the key"),
            ErrorTable.Row(
                "A `$ref` to a schema that is not there",
                message: try generated(
                    Self.document.replacing("schemas/Book' }", with: "schemas/Bok' }")),
                guidance: "correct the reference"),
            ErrorTable.Row(
                "A `$ref` to a file that is not there",
                message: try generated(
                    Self.document.replacing("'#/components/schemas/Book'", with: "'common.yaml#/Book'")),
                guidance: "correct the reference"),
        ]
        let differences = try ErrorTable("build").differences(from: rows)
        #expect(differences.isEmpty, "\n\(differences.joined(separator: "\n"))")
    }

    @Test func everySystemLibraryNamesItsPackage() throws {
        let libraries = try Self.text("Package.swift")
            .matches(of: /systemLibrary\(\s*name: "(\w+)"[^)]*\.apt\(\["([^"]+)"\]\)/)
        #expect(libraries.count >= 9)
        for library in libraries {
            let name = String(library.1)
            #expect(
                try header(name, ["-nostdinc"]).hasSuffix(" is missing: install the package \(library.2)."))
            #expect(try header(name, ["-U__linux__"]).hasPrefix("GatewayClient supports Linux only"))
        }
    }

    /// What is compiled first says so: otherwise the message would be one of hundreds.
    @Test func everyModuleThatNeedsNoOtherIsForLinux() throws {
        let first = try Self.text(".ci/layers.txt").split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /(Gateway\w+): *(no-foundation)?/).map { String($0.1) }
        }
        #expect(!first.isEmpty)
        for module in first {
            let folder = Self.root.appending(path: "Sources/\(module)")
            let files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
            #expect(
                texts.contains {
                    $0.contains("#if !os(Linux)") && $0.contains("GatewayClient supports Linux only")
                },
                "\(module)")
        }
    }

    // MARK: Situations

    /// The error of a header of a C module, with options of the compiler.
    private func header(_ module: String, _ options: [String]) throws -> String {
        let path = Self.root.appending(path: "Sources/\(module)/shim.h").path
        let run = try tool.run(
            ["clang", "-x", "c", "-fsyntax-only"] + options + [path], executable: "/usr/bin/env")
        let errors = run.error.matches(of: /error: "([^"]*)"/).map { String($0.1) }
        #expect(errors.count == 1, "\(run.error)")
        return errors.first ?? ""
    }

    private func folderOfLibjwt3() throws -> String {
        _ = try tool.write("", "jwt_export.h")
        return tool.directory.path
    }

    /// The first error of a Swift file.
    private func compiled(_ text: String) throws -> String {
        let file = try tool.write(text, "main.swift")
        let run = try tool.run(["swiftc", "-typecheck", file], executable: "/usr/bin/env")
        return run.error.firstMatch(of: /error: [^\n]*/).map { String($0.0) } ?? run.error
    }

    /// What the build plugin says of a target.
    private func plugin(_ files: [String: String], dependencies: Set<String> = ["GatewayClient"]) throws
        -> String
    {
        let folder = ToolRunner()
        let urls = try files.map { URL(filePath: try folder.write($1, $0)) }
        let documents = urls.sorted { $0.path < $1.path }.compactMap { file in
            DocumentName.namespace(ofFile: file.lastPathComponent).map { (name: $0, file: file) }
        }
        let check = TargetCheck(
            target: "MyService", dependencies: dependencies, package: "GatewayClient", files: urls,
            documents: documents)
        return withExtendedLifetime(folder) { check.messages() }
            .map { ($0.isError ? "error: " : "warning: ") + $0.text }.joined(separator: "\n")
    }

    /// What the generator says of a document.
    private func generated(_ document: String, configuration: String? = nil) throws -> String {
        let folder = ToolRunner()
        let file = try folder.write(document, "bookshop.openapi.yaml")
        if let configuration { _ = try folder.write(configuration, "bookshop.gateway.yaml") }
        let output = folder.directory.appending(path: "output").path
        let run = try folder.run(["generate", file, "--output", output])
        #expect(run.status != 0)
        return run.error.replacing(folder.directory.path + "/", with: "")
    }

    private static let document = """
        openapi: 3.1.0
        info: { title: Bookshop, version: 1.0.0 }
        paths:
          /books:
            get:
              operationId: listBooks
              responses:
                "200":
                  description: The books.
                  content:
                    application/json:
                      schema: { $ref: '#/components/schemas/Book' }
        components:
          schemas:
            Book: { type: object }

        """
}
