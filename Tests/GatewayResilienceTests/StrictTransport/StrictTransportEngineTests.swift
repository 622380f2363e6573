import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct StrictTransportEngineTests {
    private static let policy: HTTPFields = ["Strict-Transport-Security": "max-age=600; includeSubDomains"]

    private func engine(
        _ transport: ScriptedTransport, store: HSTSPolicyStore?, events: EventRecorder? = nil
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: 1)
        configuration.strictTransport = store
        configuration.events = events
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    @Test func aKnownHostIsCalledOverTLS() async throws {
        let (transport, recorder) = (ScriptedTransport(.status(200, fields: Self.policy)), EventRecorder())
        let engine = engine(transport, store: HSTSPolicyStore(), events: recorder)
        for url in [
            "http://a.example/1", "https://a.example/2", "http://a.example/3", "http://b.a.example:81/4",
        ] {
            _ = try await engine.send(try HTTPRequest(.post, url, body: .text("x")))
        }
        let expected = [
            "http://a.example", "https://a.example", "https://a.example", "https://b.a.example:81",
        ]
        #expect(transport.requests.map(\.origin.description) == expected)
        #expect(transport.requests.map(\.target) == ["/1", "/2", "/3", "/4"])
        // What is told of a call names where it went.
        #expect(Set(recorder.events.dropFirst(4).map(\.origin.scheme)) == [.https])
    }

    @Test func withoutAStoreNothingIsTurned() async throws {
        let transport = ScriptedTransport(.status(200, fields: Self.policy))
        let engine = engine(transport, store: nil)
        _ = try await engine.send(try HTTPRequest(.get, "https://a.example/"))
        _ = try await engine.send(try HTTPRequest(.get, "http://a.example/"))
        #expect(transport.requests.map(\.origin.scheme) == [.https, .http])
    }

    /// Errors are answers too, and so is a response that is retried.
    @Test(arguments: [404, 503, 302])
    func everyStatusTeaches(status: Int) async throws {
        let store = HSTSPolicyStore()
        _ = try await engine(ScriptedTransport(.status(status, fields: Self.policy)), store: store).send(
            try HTTPRequest(.get, "https://a.example/"))
        #expect(store.count == 1)
    }

    /// A hop to `http` at a known host goes to `https`, also where going on in the clear would be refused; the hop that
    /// teaches may be the one that leads there.
    @Test(arguments: ["http://a.example/x", "https://a.example/x"])
    func redirectsAreTurned(first: String) async throws {
        let transport = ScriptedTransport { request, _ in
            switch request.path {
            case "/x": .status(302, fields: [.location: "https://b.example/y"])
            case "/y":
                .status(
                    302,
                    fields: [
                        .location: "http://c.b.example:80/z",
                        "Strict-Transport-Security": "max-age=1; includeSubDomains",
                    ])
            default: .status(200)
            }
        }
        let response = try await engine(transport, store: HSTSPolicyStore(clock: ManualClock())).send(
            try HTTPRequest(.get, first, fields: [.authorization: "hunter2"]))
        #expect(response.status == 200 && response.exchange.origin.description == "https://c.b.example")
        #expect(transport.requests.count == 3)
        #expect(transport.requests.dropFirst().allSatisfy { !$0.fields.contains(.authorization) })
    }

    @Test func aDowngradeToAHostThatIsNotKnownIsRefused() async throws {
        let transport = ScriptedTransport(
            .status(302, fields: [.location: "http://b.example/", "Strict-Transport-Security": "max-age=60"]))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport, store: HSTSPolicyStore()).send(
                try HTTPRequest(.get, "https://a.example/"))
        }
        #expect(error?.code == .redirectRefused)
    }

    /// From http to https at the same host is another origin; nothing of that changes.
    @Test func aTurnedCallKeepsItsFields() async throws {
        let (transport, store) = (ScriptedTransport(.status(200)), HSTSPolicyStore())
        store.record(Self.policy, from: try Origin("https://a.example"))
        _ = try await engine(transport, store: store).send(
            try HTTPRequest(.get, "http://a.example/", fields: ["X-Tenant": "7"]))
        #expect(transport.requests.first?.fields == ["X-Tenant": "7"])
    }

    @Test func connectionsAreDroppedThroughTheRecorder() {
        let transport = DropCounter()
        StrictTransportRecorder(below: transport, store: HSTSPolicyStore()).dropIdleConnections()
        #expect(transport.count.withLock { $0 } == 1)
    }
}

private final class DropCounter: Transport {
    let count = Locked(0)
    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        throw NetworkError(.noConnection, "There is no network.")
    }
    func dropIdleConnections() { count.withLock { $0 += 1 } }
}
