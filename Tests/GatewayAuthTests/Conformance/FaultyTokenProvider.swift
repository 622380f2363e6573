import GatewayAuth
import GatewayCore

/// What a provider can get wrong, by the name of the check that must find it.
enum ProviderFault: String, CaseIterable, Sendable {
    case currentToken = "current token"
    case concurrentCalls = "concurrent calls"
    case coordinator
    case newToken = "new token"
    case currentAfterRenewal = "current after renewal"
    case cancelled
    case noSecrets = "no secrets"
}

/// A provider with at most one fault.
final class FaultyTokenProvider: TokenProvider {
    private struct State {
        var number = 1
        var stale: Int?
        var refreshes = 0
        var wasCancelled = false
    }

    /// An error that says too much.
    struct Talkative: Error, CustomStringConvertible {
        let description: String
    }

    private let fault: ProviderFault?
    private let isFailing: Bool
    private let state = Locked(State())

    init(_ fault: ProviderFault? = nil, isFailing: Bool = false) {
        self.fault = fault
        self.isFailing = isFailing
    }

    func currentToken() async throws -> String? {
        state.withLock { state in
            // Whoever asks makes another.
            if fault == .currentToken { state.number += 1 }
            return "pr0vider-token-\(state.stale ?? state.number)"
        }
    }

    func refreshToken() async throws -> String {
        if isFailing {
            throw Talkative(
                description: fault == .noSecrets ? "no successor of pr0vider-token-1" : "no successor")
        }
        switch fault {
        case .concurrentCalls:
            // It gives up where many ask, as no check does one after another.
            let isOneOfMany = state.withLock { state in
                state.refreshes += 1
                return state.refreshes > 4
            }
            if isOneOfMany { throw Talkative(description: "busy") }
        case .cancelled:
            if Task.isCancelled { state.withLock { $0.wasCancelled = true } }
            if state.withLock({ $0.wasCancelled }) {
                throw NetworkError(.reauthenticationRequired, "The session is over.")
            }
        default: break
        }
        return state.withLock { state in
            if fault == .currentAfterRenewal || fault == .coordinator {
                state.stale = state.stale ?? state.number
            }
            if fault != .newToken { state.number += 1 }
            return "pr0vider-token-\(state.number)"
        }
    }
}
