internal import GatewayCore

/// Decides from checks and calls what keeps calls from the configured origins.
struct ObstacleStateMachine: Sendable {
    /// What is known of TLS connections to an origin.
    private struct Trust {
        /// Whether a certificate was accepted since the program began, in whatever network.
        var wasVerified = false
        var failures = 0
    }

    /// A single failure may be one server of several with a bad certificate.
    private static let tlsFailures = 2

    private var areOriginsReachable = true
    private var portals: Set<Origin> = []
    private var trusts: [Origin: Trust] = [:]

    /// The obstacle: the one that explains most.
    var obstacle: NetworkObstacle? {
        if !portals.isEmpty { return .captivePortal }
        if trusts.values.contains(where: { $0.wasVerified && $0.failures >= Self.tlsFailures }) {
            return .interceptedTLS
        }
        return areOriginsReachable ? nil : .originsUnreachable
    }

    /// Whether an origin accepts connections.
    mutating func observe(isAnyReachable: Bool) { areOriginsReachable = isAnyReachable }

    /// Who answered a check.
    mutating func observe(_ answer: PortalCheck.Answer, from origin: Origin) {
        switch answer {
        case .portal: portals.insert(origin)
        case .origin:
            portals.remove(origin)
            areOriginsReachable = true
            if origin.scheme == .https { observeTLS(isTrusted: true, to: origin) }
        case .tlsFailure: observeTLS(isTrusted: false, to: origin)
        case .unknown: break
        }
    }

    /// Whether the certificate on a new connection was accepted.
    mutating func observeTLS(isTrusted: Bool, to origin: Origin) {
        var trust = trusts[origin] ?? Trust()
        if isTrusted {
            trust = Trust(wasVerified: true)
        } else {
            trust.failures = min(trust.failures + 1, Self.tlsFailures)
        }
        trusts[origin] = trust
    }

    /// The network is another one, or gone: what was found in the old one does not count.
    mutating func forgetNetwork() {
        areOriginsReachable = true
        portals = []
        for origin in trusts.keys { trusts[origin]?.failures = 0 }
    }
}
