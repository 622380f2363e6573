import Testing

@testable import OpenAPIGeneration

/// The counts of generated, degraded and skipped objects.
@Suite struct CoverageTests {
    private static let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /good: { get: { responses: { '204': { description: d } } } }
          /two:
            parameters: [{ name: p, in: query, style: matrix, schema: { type: string } }]
            get:
              parameters: [{ name: q, in: query, style: matrix, schema: { type: string } }]
              responses: { '204': { description: d } }
            put: { responses: { '204': { description: d } } }
          '/not a path':
            get: { responses: { '204': { description: d } } }
            put: { responses: { '204': { description: d } } }
        components:
          parameters:
            shared: { name: q, in: query, schema: { type: string } }
          schemas:
            Good: { type: object }
            Bad:
              type: object
              properties: { a: { $dynamicRef: '#x' }, b: { $dynamicRef: '#x' } }
            Last: { type: string, minLenght: 1 }
        """

    @Test func eachObjectIsCountedOnce() {
        let output = Rendered(Self.document).output
        #expect(output.coverage?.operations == .init(generated: 3, degraded: 1, skipped: 2))
        #expect(output.coverage?.schemas == .init(generated: 3, degraded: 1, skipped: 0))
        #expect(output.coverage?.text == "3 operations (1 degraded, 2 skipped), 3 schemas (1 degraded)")
    }

    @Test func excludedOperationsAreNotCounted() {
        let output = Rendered(Self.document, configuration: "include: { paths: ['/good'] }").output
        #expect(output.coverage?.text == "1 operation, 0 schemas")
    }

    @Test func schemasOfOtherFilesAreCounted() {
        let files = [
            "pet.yaml": "type: object\nproperties: { a: { $dynamicRef: '#x' } }\n",
            "dog.yaml": "type: object\nproperties: { a: { type: string } }\n",
        ]
        let output = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            components: { schemas: { Pet: { $ref: pet.yaml }, Dog: { $ref: dog.yaml } } }
            """, documents: MemoryDocuments(files: files)
        ).output
        #expect(output.coverage?.schemas.degraded == 1)
    }

    @Test func aDocumentWithErrorsHasNoCounts() {
        #expect(Rendered("openapi: 3.1.0\npaths: {}\n").output.coverage == nil)
    }
}
