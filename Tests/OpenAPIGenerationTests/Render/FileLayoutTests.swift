import Testing

@testable import OpenAPIGeneration

@Suite struct FileLayoutTests {
    private func names(_ text: String, prefix: String? = nil) -> [String] {
        var generator = Generator(namespace: "Test")
        generator.layout = .names
        generator.filePrefix = prefix
        return generator.run(Array(text.utf8), path: "Test.openapi.yaml").files.map(\.name)
    }

    @Test func tagsAndSchemasHaveFilesOfTheirOwn() throws {
        let text = try fixture("Petstore.openapi.yaml")
        #expect(
            names(text) == [
                "TestClient.swift", "TestFailures.swift", "Schemas/Error.swift", "Schemas/Pet.swift",
                "Schemas/Pets.swift", "Operations/PetsOperations.swift",
            ])
        #expect(
            names(text, prefix: "Shop") == [
                "ShopClient.swift", "ShopFailures.swift", "Schemas/Shop.Error.swift",
                "Schemas/Shop.Pet.swift", "Schemas/Shop.Pets.swift", "Operations/Shop.PetsOperations.swift",
            ])
    }

    @Test func bothLayoutsHoldTheSameDeclarations() throws {
        for name in ["Petstore.openapi.yaml", "PetstoreExpanded.openapi.yaml", "Traps.openapi.yaml"] {
            let text = try fixture(name)
            func lines(_ layout: FileLayout) -> [String] {
                var generator = Generator(namespace: "Test")
                generator.layout = layout
                let files = generator.run(Array(text.utf8), path: "Test.openapi.yaml").files
                return files.flatMap { $0.text.split(separator: "\n").map { String($0) } }
                    .filter { $0.contains(" struct ") || $0.contains(" func ") || $0.contains(" enum ") }
                    .sorted()
            }
            #expect(lines(.names) == lines(.buckets))
            #expect(!lines(.names).isEmpty)
        }
    }

    /// A tag becomes a file's name; so do schemas that differ in case alone, and names without an end.
    @Test func hostileTagsAndNamesStayInTheirFolders() {
        let long = String(repeating: "Long", count: 200)
        let files = names(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a: { get: { tags: ['../../../etc/passwd'], responses: {} } }
              /b: { get: { tags: ["a\\0b/c\\nd"], responses: {} } }
              /c: { get: { tags: ['TestClient'], responses: {} } }
              /d: { get: { tags: ['..'], responses: {} } }
              /e: { get: { responses: {} } }
              /f: { get: { tags: [\(long)], responses: {} } }
            components:
              schemas:
                petA: { type: object, properties: { a: { type: string } } }
                PETA: { type: object, properties: { a: { type: string } } }
                \(long): { type: object, properties: { a: { type: string } } }
            """)
        #expect(files.count == 11)
        #expect(Set(files.map { ($0.split(separator: "/").last ?? "").lowercased() }).count == 11)
        for file in files {
            #expect(file.split(separator: "/").count <= 2)
            #expect(file.utf8.count < 255)
            #expect(!file.contains("..") && !file.contains("\0") && !file.contains("\n"))
        }
        #expect(files.contains("Operations/Untagged.swift"))
    }
}
