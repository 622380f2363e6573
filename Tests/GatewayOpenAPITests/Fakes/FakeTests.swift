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

    private struct TwoPages: HarbourClient.ListsProtocol {
        func byAfterAll(
            after: String?, options: CallOptions
        ) -> PagedItems<Harbour.ByAfterResponse, Harbour.ByAfterFailure> {
            PagedItems(pages: [
                .init(data: [.init(id: "a"), .init(id: "b")], hasMore: true),
                .init(data: [.init(id: "c")], hasMore: false),
            ])
        }
    }

    private static func ids(_ lists: any HarbourClient.ListsProtocol) async throws -> [String] {
        var result: [String] = []
        for try await item in lists.byAfterAll() { result.append(item.id) }
        return result
    }

    @Test func aFakeHasPages() async throws {
        #expect(try await Self.ids(TwoPages()) == ["a", "b", "c"])
        let list = TwoPages().byAfterAll()
        var tokens: [String?] = []
        for try await page in list.pages { tokens.append(page.resumeToken) }
        #expect(tokens == ["1", nil])
        var resumed: [String] = []
        for try await item in list.resumed(from: "1") { resumed.append(item.id) }
        #expect(resumed == ["c"])
        var limited: [String] = []
        for try await item in list.limited(toPages: 1) { limited.append(item.id) }
        #expect(limited == ["a", "b"])
        let engine = ScriptedEngine(.json(200, #"{"data":[{"id":"real"}],"has_more":false}"#))
        let api = HarbourClient(server: .init(url: "https://h.test"), engine: engine)
        #expect(try await Self.ids(api.lists) == ["real"])
    }

    @Test func pagesThatAFakeLacksThrow() async throws {
        do {
            _ = try await Self.ids(OneShip())
            Issue.record("listed")
        } catch let error as APIError<Harbour.ByAfterFailure> {
            #expect(error.code == .misconfigured)
            #expect(error.operation == "byAfter")
        }
    }

    @Test func whatAFakeLacksThrows() async throws {
        do {
            _ = try await OneShip().byNumber(page: 1)
            Issue.record("answered")
        } catch {
            #expect(error.code == .misconfigured)
            #expect(error.operation == "byNumber")
        }
    }
}
