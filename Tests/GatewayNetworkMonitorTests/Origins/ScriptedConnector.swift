import GatewayCore

@testable import GatewayNetworkMonitor

/// Accepts connections to the origins that a test names, and records the attempts.
final class ScriptedConnector: OriginConnecting {
    private struct State {
        var answers: [Origin: Bool?] = [:]
        var attempts: [Origin] = []
        var limits: Set<Duration> = []
    }

    private let state = Locked(State())

    var attempts: [Origin] { state.withLock { $0.attempts } }
    var limits: Set<Duration> { state.withLock { $0.limits } }

    func set(_ answer: Bool?, for origins: Origin...) {
        state.withLock { state in
            for origin in origins { state.answers[origin] = .some(answer) }
        }
    }

    func canConnect(to origin: Origin, within limit: Duration) async -> Bool? {
        state.withLock { state in
            state.attempts.append(origin)
            state.limits.insert(limit)
            return state.answers[origin] ?? true
        }
    }
}
