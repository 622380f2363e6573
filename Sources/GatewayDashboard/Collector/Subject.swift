/// What a sentence or a line of the log is about: the place on the page with the details.
struct Subject: Sendable, Hashable {
    enum Kind: String, Sendable {
        case token, breaker, operation, origin, network, queue, bulkhead, budget, cache, engine
        case rateGate = "rate_gate"
    }

    let kind: Kind
    let name: String

    init(_ kind: Kind, _ name: String = "") {
        self.kind = kind
        self.name = name
    }
}

/// How serious something is.
enum Severity: String, Sendable, Comparable {
    /// No call yet, or none for a minute.
    case idle
    case ok, info, warning, critical

    private var rank: Int {
        switch self {
        case .idle: 0
        case .ok: 1
        case .info: 2
        case .warning: 3
        case .critical: 4
        }
    }

    static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
}

/// Whose matter a failure is.
enum Side: String, Sendable {
    /// This program, its configuration or its request.
    case here
    case network
    /// The credential or its server.
    case token
    /// The server.
    case upstream
    /// The caller, which cancelled the call.
    case caller
}
