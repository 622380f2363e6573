import GatewayCore
import GatewayJSON
import GatewayOpenAPI
import Testing

/// What errors of decoding tell of a body.
@Suite struct DecodingErrorTextTests {
    @Test func namesOfTheBodyAreNotShown() throws {
        let name = "SEKRET-" + String(repeating: "x", count: 60_000)
        let response = FailedResponse(status: 500, body: Array("{\"\(name)\":\"x\"}".utf8))
        let error = #expect(throws: NetworkError.self) { _ = try response.json([String: Int].self) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("$[#0]") == true)
        #expect(error?.description.contains("SEKRET") == false)
        #expect((error?.description.utf8.count ?? .max) < 1_024)
    }
}
