import BookshopAPI
import Dispatch
import Foundation
import GatewayClient
import GatewayTelemetry

// The examples of FirstService.md. Its tests are in Tests/GatewayOpenAPITests/Documentation.

struct Catalogue {
    let api: BookshopClient

    /// The titles of the first books.
    func titles() async throws -> [String] {
        try await api.books.list(limit: 20).items.map(\.title)
    }

    /// Prints their number each minute, until the task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            do { print(try await titles().count, "books") } catch { print("no books:", error) }
            try? await Task.sleep(for: .seconds(60))
        }
    }
}

/// Returns when the process gets SIGTERM.
func waitForTermination() async {
    signal(SIGTERM, SIG_IGN)
    let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    await withCheckedContinuation { continuation in
        termination.setEventHandler { termination.cancel() }
        termination.setCancelHandler { continuation.resume() }
        termination.resume()
    }
}

/// The main program.
func firstService() async throws {
    let environment: GatewayEnvironment
    do { environment = try GatewayEnvironment() } catch {
        print("my-service:", error)
        exit(2)
    }
    var configuration = environment.configuration()
    configuration.events = try ClientTelemetry.environment()
    let engine = try configuration.makeEngine()
    let api = BookshopClient(server: .init(environment, or: .production), engine: engine)

    let work = Task { await Catalogue(api: api).watch() }
    await waitForTermination()
    work.cancel()
    await work.value
    await engine.shutdown(within: .seconds(20))
}

/// The answer to a readiness probe.
func readiness(of engine: GatewayEngine) async throws -> (status: Int, body: [UInt8]) {
    try? await engine.warmUp(until: .after(.seconds(1)))
    let health = await engine.health()
    return (health.isReady ? 200 : 503, try health.json.jsonBytes())
}
