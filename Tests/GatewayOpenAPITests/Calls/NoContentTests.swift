import GatewayClient
import GatewayTesting
import Testing

/// A response with the status 204 or 205 has no content, whatever is documented, in the document Foundry.
@Suite struct NoContentTests {
    private func client(_ status: Int, _ body: String) -> FoundryClient {
        FoundryClient(engine: ScriptedEngine(.json(status, body)))
    }

    /// Content that a server sends nevertheless is not read.
    @Test(arguments: ["", "{}", #"{"x":1}"#, "<none>"])
    func itIsNotDecoded(body: String) async throws {
        try await client(204, body).stopFurnace()
        try await client(205, body).resetFurnace()
        #expect(try await client(204, body).getFurnace() == .noContent)
        #expect(try await client(205, body).withResponse.resetFurnace().status == 205)
    }

    @Test func theContentOfAnotherStatusIsDecoded() async throws {
        #expect(try await client(200, #"{"x":1}"#).getFurnace() == .ok(.init(x: 1)))
        let error = await #expect(throws: APIError<Foundry.GetFurnaceFailure>.self) {
            try await client(200, "").getFurnace()
        }
        #expect(error?.code == .decodingFailed)
    }
}
