import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

/// What events know of the path of a base URL: the templates of a document's operations are below it.
@Suite struct BasePathTests {
    private let recorder = EventRecorder()

    private func engine() -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.events = recorder
        return GatewayEngine(
            transport: ScriptedTransport { request, _ in .status(request.method == .post ? 202 : 204) },
            tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    /// The origins of the calls that have started.
    private var origins: [Origin] {
        recorder.events.compactMap { if case .started = $0.kind { $0.origin } else { nil } }
    }

    private static let token = "0123456789abcdef0123456789abcdef"

    /// dashboard.base-path: also that of an operation's own server; neither long segments nor a slash at the end.
    @Test(arguments: [
        (HarbourClient.Server.production(), ["/v1", "", "/admin"]),
        (.init(url: "https://a.example"), ["", "", ""]),
        (.init(url: "https://a.example/x/y//"), ["/x/y", "/x/y", "/x/y"]),
        (.init(url: "https://a.example/hooks/\(token)/v2"), Array(repeating: "/hooks/…/v2", count: 3)),
    ])
    func eventsHaveTheBasePath(server: HarbourClient.Server, paths: [String]) async throws {
        let api = HarbourClient(server: server, engine: engine())
        _ = try await api.orderPilot()
        try await api.getChart(chartId: "7")
        try await api.deleteChart(chartId: "7")
        #expect(origins.map(\.basePath) == paths)
        #expect(!recorder.events.contains { String(reflecting: $0).contains(Self.token) })
    }

    /// dashboard.base-path: each client has its own, and it is no part of the origin. A call by hand has none.
    @Test func clientsOfOneOriginHaveTheirOwn() async throws {
        let engine = engine()
        for path in ["/orders", "/books/v1", ""] {
            let api = HarbourClient(server: .init(url: "https://a.example" + path), engine: engine)
            _ = try await api.orderPilot()
        }
        _ = try await engine.send(try HTTPRequest(.get, "https://a.example/orders/x"), operation: "byHand")
        #expect(origins.map(\.basePath) == ["/orders", "/books/v1", "", ""])
        #expect(Set(origins) == [try Origin("https://a.example")])
        #expect(origins.allSatisfy { "\($0)" == "https://a.example" })
        let secured = try Origin("http://a.example").with(basePath: "/v1").secured
        #expect(secured.basePath == "/v1" && origins.first == secured)
    }
}
