import Foundation
import Testing

/// The sources have one implementation of single flight.
@Suite struct OneFlightTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources").standardizedFileURL

    /// The files that keep tasks waiting, and for what. No other file of these modules has a continuation.
    private static let waits = [
        "GatewayCore/Concurrency/FlightWaiters.swift": "the outcome of a flight",
        "GatewayCore/Concurrency/SharedFlightStateMachine.swift": "the outcome of a flight",
        "GatewayCore/Concurrency/Broadcast.swift": "values of a stream",
        "GatewayCore/Events/BufferedEventSink.swift": "events, by a stream",
        "GatewayResilience/Bulkhead/BulkheadWaiter.swift": "a permit",
        "GatewayResilience/CircuitBreaker/CircuitBreaker.swift": "changes of a state, by a stream",
        "GatewayResilience/Cache/Store/StorePatience.swift": "a store, for a limited time",
        "GatewayResilience/RateGate/RateWaiter.swift": "its turn",
        "GatewayResilience/Hedging/HedgeRace.swift": "the attempts of one call",
        "GatewayAuth/Providers/LoopbackReceiver.swift": "a browser",
        "GatewayAuth/Stores/MemoryTokenStore.swift": "a lock",
        "GatewayAuth/Stores/WorkerThread.swift": "a thread",
    ]

    /// The files that share one request among callers.
    private static let flights = [
        "GatewayResilience/Coalescing/FlightBoard.swift", "GatewayAuth/Refresh/TokenSlot.swift",
        "GatewayAuth/JWT/Keys/JSONWebKeySetSource.swift",
        "GatewayAuth/Discovery/AuthorizationServerDiscovery.swift",
    ]

    /// The sources of the modules that share requests, by their paths, without the lines that have comments.
    private static let texts: [String: String] = {
        var texts: [String: String] = [:]
        for module in ["GatewayCore", "GatewayResilience", "GatewayAuth", "GatewayClient", "GatewayOpenAPI"] {
            let folder = sources.appending(path: module)
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
            for path in paths ?? [] where path.hasSuffix(".swift") {
                let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
                let lines = text?.split(separator: "\n").filter { !$0.contains("//") }
                texts["\(module)/\(path)"] = lines?.joined(separator: "\n")
            }
        }
        return texts
    }()

    @Test func nothingElseKeepsWaiters() {
        let found = Self.texts.filter { $0.value.contains("Continuation") }
        #expect(Set(found.keys) == Set(Self.waits.keys))
    }

    @Test(arguments: flights)
    func callersThatShareARequestShareAFlight(path: String) {
        #expect(Self.texts[path]?.contains("SharedFlight<") == true)
    }
}
