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
        "GatewayCore/Engine/DetachedExchange.swift": "an exchange that may be abandoned",
        "GatewayCore/Events/BufferedEventSink.swift": "events, by a stream",
        "GatewayResilience/Bulkhead/BulkheadWaiter.swift": "a permit",
        "GatewayResilience/CircuitBreaker/CircuitBreaker.swift": "changes of a state, by a stream",
        "GatewayResilience/RateGate/RateWaiter.swift": "its turn",
        "GatewayResilience/Hedging/HedgeRace.swift": "the attempts of one call",
        "GatewayClient/CallGate.swift": "the end of all calls",
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

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: sources.appending(path: path), encoding: .utf8)
    }

    @Test func nothingElseKeepsWaiters() throws {
        var found: Set<String> = []
        for module in ["GatewayCore", "GatewayResilience", "GatewayAuth", "GatewayClient", "GatewayOpenAPI"] {
            let folder = Self.sources.appending(path: module)
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
            for path in try #require(paths) where path.hasSuffix(".swift") {
                let text = try Self.text("\(module)/\(path)")
                let code = text.split(separator: "\n").filter { !$0.contains("//") }.joined(separator: "\n")
                if code.contains(/\w*Continuation\b/) { found.insert("\(module)/\(path)") }
            }
        }
        #expect(found == Set(Self.waits.keys))
    }

    @Test(arguments: flights)
    func callersThatShareARequestShareAFlight(path: String) throws {
        #expect(try Self.text(path).contains("SharedFlight<"))
    }
}
