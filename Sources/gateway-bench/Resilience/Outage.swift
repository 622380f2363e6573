import GatewayClient
import GatewayTesting

/// A way in which a server fails all calls.
enum Outage: String, CaseIterable {
    /// Connections are refused.
    case refused
    /// Attempts to connect get no answer, and neither do requests on open connections.
    case blackHole = "black-hole"
    /// Every response is a fast 503.
    case unavailable = "fast-503"
    /// Connections and requests are accepted, and no response comes.
    case hang

    var title: String {
        switch self {
        case .refused: "connections refused"
        case .blackHole: "black hole"
        case .unavailable: "fast 503"
        case .hang: "accepts and never answers"
        }
    }

    /// Whether calls end by their deadline.
    var endsByDeadline: Bool { self == .hang || self == .blackHole }

    /// Makes the server fail.
    func begin(_ proxy: ChaosProxy, _ gateway: EmbeddedGateway) throws {
        switch self {
        case .refused:
            try proxy.apply(.refusing)
            // Connections that are open would go on working.
            try proxy.closeConnections(reset: true)
        case .blackHole: try proxy.apply(.blackHole)
        case .unavailable: gateway.inject(.status(503), into: .everything)
        case .hang:
            var conditions = ChaosProxy.Conditions()
            conditions.downstream.isStalled = true
            try proxy.apply(conditions)
        }
    }

    /// Makes the server well again.
    func end(_ proxy: ChaosProxy, _ gateway: EmbeddedGateway) throws {
        gateway.removeFaults()
        try proxy.apply(.perfect)
    }
}
