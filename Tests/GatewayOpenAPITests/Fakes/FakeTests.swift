import GatewayCore
import GatewayOpenAPI
import GatewayTesting
import Testing

/// Fakes of a group of operations, which the configuration asked for.
@Suite struct FakeTests {
    /// Code under test, which takes the real group or a fake.
    private static func names(_ lists: any HarbourClient.ListsProtocol) async throws -> [String] {
        try await lists.byAfter().data.map(\.id)
            + lists.byAfter(after: "x", options: CallOptions()).data.map(\.id)
    }

    private struct OneShip: HarbourClient.ListsProtocol {
        func byAfter(
            after: String?, options: CallOptions
        ) async throws(APIError<Harbour.ByAfterFailure>) -> Harbour.ByAfterResponse {
            Harbour.ByAfterResponse(data: [.init(id: after ?? "first")], hasMore: false)
        }
    }

    @Test func aFakeStandsInForTheGroup() async throws {
        #expect(try await Self.names(OneShip()) == ["first", "x"])
        let engine = ScriptedEngine(.json(200, #"{"data":[{"id":"real"}],"has_more":false}"#))
        let api = HarbourClient(server: .init(url: "https://h.test"), engine: engine)
        #expect(try await Self.names(api.lists) == ["real", "real"])
        #expect(engine.requests.map(\.target) == ["/by-after", "/by-after?after=x"])
    }

    @Test func whatAFakeLacksThrows() async throws {
        do {
            _ = try await OneShip().byNumber(page: 1)
            Issue.record("answered")
        } catch {
            #expect(error.cause?.code == .misconfigured)
            #expect(error.operation == "byNumber")
        }
    }
}
