import Testing

@testable import OpenAPIGeneration

@Suite struct ProtocolTests {
    private static let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /a: { get: { operationId: listPets, tags: [pets], deprecated: true, parameters: [{ name: q, in: query, schema: { type: string } }], responses: { '204': {} } } }
          /b: { put: { operationId: putB, requestBody: { content: { text/plain: {} } }, responses: { '200': { content: { text/plain: {} } } } } }
        """

    @Test func protocolsAreAnOption() {
        #expect(!Rendered(Self.document).contains("protocol "))
        let rendered = Rendered(Self.document, configuration: "protocols: true")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("    public nonisolated protocol PetsProtocol: Sendable {"))
        #expect(
            rendered.contains(
                "        func list(q: String?, options: CallOptions) async throws(APIError<Test.ListPetsFailure>)\n"
            ))
        #expect(rendered.contains("nonisolated extension TestClient.Pets: TestClient.PetsProtocol {}"))
        #expect(rendered.contains("public nonisolated protocol TestClientProtocol: Sendable {"))
        #expect(rendered.contains("return try await self.putB(body, options: CallOptions())"))
        #expect(rendered.contains("nonisolated extension TestClient: TestClientProtocol {}"))
        // The two methods, the requirement, what stands in for it, and the call without options.
        #expect(
            rendered.source.split(separator: "\n").filter { $0.contains("@available(*, deprecated)") }.count
                == 5)
    }
}
