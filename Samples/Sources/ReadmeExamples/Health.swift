import BookshopAPI
import Dispatch
import Foundation
import GatewayClient
import GatewayNetworkMonitor

/// The state of an engine, for a page.
func health(_ engine: GatewayEngine) async throws -> [UInt8] {
    let health = await engine.health()
    print(health.isReady, health.calls, health.connections.all.waiting)
    let page = try health.json.jsonBytes()
    return page
}

/// A probe of an orchestrator.
func readyz(_ engine: GatewayEngine) async throws -> (status: Int, body: [UInt8]) {
    try? await engine.warmUp(until: .after(.seconds(1)))
    let health = await engine.health()
    return (health.isReady ? 200 : 503, try health.json.jsonBytes())
}

/// Tokens and connections before the first call.
func warmUp(_ engine: GatewayEngine, _ api: BookshopClient) async throws {
    try await api.warmUp(within: .seconds(5))
    try await engine.warmUp([try HTTPRequest(.head, "https://api.example.com/health")])
}

/// Work of a program that ends with an engine.
final class Importer: EnginePart {
    let task: Task<Void, Never>

    init(_ work: @escaping @Sendable () async -> Void) { task = Task(operation: work) }

    func end(until deadline: Deadline) async {
        task.cancel()
        await task.value
    }
}

func joined(_ engine: GatewayEngine, _ importer: Importer, _ monitor: ReachabilityMonitor) {
    engine.join(importer)
    engine.join(monitor)
}

/// The end of a program with a client of its own.
func clientShutdown(_ api: BookshopClient) async {
    await api.shutdown(within: .seconds(20))
}

protocol Listener: Sendable {
    func stop() async
}

/// A service that is stopped by a signal.
func serve(_ listener: any Listener, _ engine: GatewayEngine) async {
    signal(SIGTERM, SIG_IGN)
    let stop = DispatchSource.makeSignalSource(signal: SIGTERM)
    await withCheckedContinuation { continuation in
        stop.setEventHandler { stop.cancel() }
        stop.setCancelHandler { continuation.resume() }
        stop.resume()
    }
    await listener.stop()
    await engine.shutdown(within: .seconds(20))
}
