import Foundation
import GatewayCore
import Testing

/// One event of each kind at least.
enum EventSamples {
    static func origin() throws -> Origin { try Origin("https://api.example.com") }

    static let callKinds: [RequestEvent.Kind] = [
        .started, .deduplicated(leader: 1), .credentialWaited(.milliseconds(3)), .attemptStarted,
        .rateGateHeld(for: .seconds(1)), .rateGateWaited(.seconds(1)), .admissionWaited(.milliseconds(2)),
        .hedged(after: .milliseconds(30)), .hedgeDecided(.hedge),
        .cacheLookedUp(.hit), .cacheStored(bytes: 10),
        .fallbackUsed(step: "replica", status: 503, error: .unacceptableStatus),
        .attemptEnded(AttemptEnd(.response(status: 503), duration: .milliseconds(20))),
        .retryScheduled(delay: .seconds(1), status: 503, error: nil),
        .notRetried(.budget, status: 503, error: nil), .credentialRejected(generation: 4),
        .replayed(generation: 5), .exchanged(ExchangeTimings()),
        .succeeded(status: 200, attempts: 2, duration: .milliseconds(40)),
        .failed(FailureCause(.timeout), attempts: 2, duration: .milliseconds(40)),
        .cancelled(attempts: 1, duration: .milliseconds(40)), .bodyFailed(FailureCause(.truncated)),
    ]

    static let tokenKinds: [TokenEvent.Kind] = [
        .refreshStarted(.demand), .refreshed(lifetime: .seconds(60), renewal: .seconds(50)),
        .adopted(lifetime: .seconds(60), renewal: .seconds(50)),
        .lifetimeLimited(issued: .seconds(9), used: .seconds(8)), .scopesNarrowed(missing: ["read"]),
        .storeFailed(.timeout, retryAfter: .seconds(1)), .storeRecovered,
        .refreshFailed(FailureCause(.timeout), isPermanent: false, attempt: 1, retryAfter: nil), .rejected,
        .grantDiscarded,
        .revocationFailed(FailureCause(.timeout)), .signedIn, .signedOut, .notShared(coordinators: 20),
    ]

    static let stateKinds: [StateEvent.Kind] =
        [
            .sentOverPlainHTTP, .refreshSuspended(for: .seconds(1)), .refreshResumed, .retryBudgetExhausted,
            .retryBudgetRecovered, .timeoutRateExceeded(operation: "list", rate: 0.5, calls: 20),
            .timeoutRateRecovered(operation: "list"), .circuitOpened("orders", for: .seconds(1)),
            .circuitHalfOpened("orders"), .circuitClosed("orders"), .circuitIsolated("orders"),
            .hedgeBudgetExhausted, .rateGateClosed("core", for: .seconds(1), .rejected(status: 429)),
            .rateGateOpened("core"), .rateLimitFieldIgnored("RateLimit"),
            .bulkheadOverloaded(limit: 8, waiting: 20), .bulkheadRecovered,
            .concurrencyLimitChanged(from: 8, to: 16), .cacheEvicted(2), .cacheStoreFailed("full"),
            .networkChanged(.offline), .networkUnobservable("socket: error 97"),
            .networkQualityChanged(from: .good, to: .poor), .networkObstacleChanged(.captivePortal),
            .networkAdaptationChanged(.poor),
        ] + queueKinds.map { .queue($0) }

    static let queueKinds: [QueueEvent] = [
        .stored(entry: 1), .refused,
        .attempted(entry: 1, attempt: 2, .done, reason: nil, age: .seconds(3)),
        .moved(2, to: "expired"),
        .reclaimed(3), .depth(queued: 4, needingAttention: 1), .held("offline"),
        .storeFailed("full"), .recovered(5),
    ]

    static func calls() throws -> [RequestEvent] {
        let origin = try origin()
        return (callKinds + [.redirected(status: 302, to: origin)]).map { kind in
            RequestEvent(callID: 1, operation: "list", origin: origin, method: .get, kind: kind)
        }
    }

    static func tokens() -> [TokenEvent] {
        tokenKinds.map { kind in
            TokenEvent(
                credential: CredentialIdentity(key: "key", epoch: 1), generation: 1, waitingCalls: [1],
                kind: kind)
        }
    }

    static func states() throws -> [StateEvent] {
        let origin = try origin()
        return stateKinds.map { StateEvent(origin: origin, kind: $0) }
    }

    /// The names of the cases of `enum Kind` in a file of GatewayCore's events.
    static func declaredKinds(in file: String) throws -> Set<String> {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/GatewayCore/Events/\(file).swift")
        let text = try String(contentsOf: path, encoding: .utf8)
        let start = try #require(text.range(of: "enum Kind:"))
        let rest = text[start.upperBound...]
        let end = try #require(rest.range(of: "\n    }\n"))
        let names = rest[..<end.lowerBound].matches(of: #/(?m)^        (?:indirect )?case (\w+)/#).map {
            String($0.1)
        }
        return Set(names)
    }

    /// The name of an enum's case.
    static func caseName(_ kind: some Any) -> String {
        Mirror(reflecting: kind).children.first?.label ?? "\(kind)"
    }
}
