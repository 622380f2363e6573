import BookshopAPI
import GatewayClient
import GatewayTesting

// The snippets of the README about tests and logging, so that they are compiled; scripts/check-readme.sh compares them.

/// A client over a scripted transport.
func scriptedClient() async throws {
    let transport = ScriptedTransport(
        .status(200, fields: [.contentType: "application/json"], #"{"items":[]}"#))
    let api = BookshopClient(
        credentials: .init(bookshopAuth: .token("test")),
        engine: GatewayEngine(transport: transport, tokenTransport: ScriptedTransport()))
    let page = try await api.books.list()
    precondition(page.items.isEmpty && transport.requests[0].target == "/v1/books")
}

/// An engine over a simulated network.
func flakyEngine(over transport: ScriptedTransport) -> GatewayEngine {
    let clock = ManualClock()
    let network = SimulatedNetwork(
        over: transport, profile: .flaky(0.2), clock: clock, random: SeededRandomSource(seed: 7))
    var configuration = GatewayConfiguration()
    configuration.clock = clock
    let engine = GatewayEngine(transport: network, tokenTransport: network, configuration: configuration)
    network.profile = .offline
    return engine
}

/// A call through a proxy.
func callThroughProxy(to serverPort: UInt16, engine: GatewayEngine) async throws -> HTTPResponse {
    let proxy = try ChaosProxy.start(to: serverPort, conditions: .thirdGeneration)
    defer { proxy.shutdown() }
    let response = try await engine.send(try HTTPRequest(.get, "\(proxy.origin)/books"))
    try proxy.apply(.blackHole)
    return response
}

final class FailureLog: RequestEventSink {
    func record(_ event: borrowing RequestEvent) {
        guard case .failed(let cause, let attempts, let duration) = event.kind else { return }
        print("\(event.method) \(event.origin) failed: \(cause.code) after \(attempts) attempts, \(duration)")
    }
}

/// An engine whose failures are logged.
func loggingEngine() throws -> GatewayEngine {
    var configuration = GatewayConfiguration()
    configuration.events = FailureLog()
    return try configuration.makeEngine()
}
