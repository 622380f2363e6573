import GatewayCore

/// Counts and records requests. It never receives a secret.
final class RequestLedger: Sendable {
    private struct State {
        var statistics = EmbeddedGateway.Statistics()
        var inFlight = 0
        var nextNumber: UInt64 = 1
        /// A ring buffer: the entry with number n is at index n - first, modulo the limit.
        var journal: [EmbeddedGateway.JournalEntry] = []
        var first: UInt64 = 1
        var refreshTokenUses: [EmbeddedGateway.RefreshTokenUse] = []

        func index(of number: UInt64, limit: Int) -> Int? {
            limit > 0 && number >= first ? Int((number - first) % UInt64(limit)) : nil
        }
    }

    private let limit: Int
    private let state = Locked(State())

    init(journalLimit: Int) { limit = max(0, journalLimit) }

    /// Records the arrival of a request.
    ///
    /// - Parameter entry: creates the journal entry from the number.
    /// - Returns: the number of the request.
    func arrived(_ entry: (_ number: UInt64) -> EmbeddedGateway.JournalEntry) -> UInt64 {
        state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.inFlight += 1
            state.statistics.requests += 1
            state.statistics.peakRequests = max(state.statistics.peakRequests, state.inFlight)
            if let index = state.index(of: number, limit: limit) {
                if index < state.journal.count {
                    state.journal[index] = entry(number)
                } else {
                    state.journal.append(entry(number))
                }
            }
            return number
        }
    }

    /// Records the response to a request, or that its connection was closed.
    func finished(
        _ number: UInt64, path: String, status: Int?, isTokenRequest: Bool, tokenGeneration: UInt64?,
        wasFaulted: Bool, refreshTokenUse: EmbeddedGateway.RefreshTokenUse?
    ) {
        state.withLock { state in
            if var use = refreshTokenUse {
                use.isAnswered = status != nil
                if state.refreshTokenUses.count < limit { state.refreshTokenUses.append(use) }
            }
            state.inFlight -= 1
            let key = EmbeddedGateway.Statistics.Key(path: path, status: status)
            state.statistics.answers[key, default: 0] += 1
            if !isTokenRequest {
                if status == 401 { state.statistics.unauthorized += 1 }
                if status == 403 { state.statistics.forbidden += 1 }
            }
            guard let index = state.index(of: number, limit: limit), index < state.journal.count,
                state.journal[index].number == number
            else { return }
            state.journal[index].status = status
            state.journal[index].tokenGeneration = tokenGeneration
            state.journal[index].wasFaulted = wasFaulted
        }
    }

    /// Counts a token request.
    func tokenRequest(grantType: String) {
        state.withLock { $0.statistics.tokenRequests[grantType, default: 0] += 1 }
    }

    /// Counts an issued token.
    func tokenGranted() { state.withLock { $0.statistics.tokensGranted += 1 } }

    /// Returns and removes the recorded uses of refresh tokens.
    func takeRefreshTokenUses() -> [EmbeddedGateway.RefreshTokenUse] {
        state.withLock { state in
            defer { state.refreshTokenUses = [] }
            return state.refreshTokenUses
        }
    }

    /// The counters.
    var statistics: EmbeddedGateway.Statistics { state.withLock { $0.statistics } }

    /// The newest requests in the order of arrival.
    var journal: [EmbeddedGateway.JournalEntry] {
        state.withLock { $0.journal }.sorted { $0.number < $1.number }
    }

    /// Resets the counters and clears the journal. Requests in progress are counted in the new counters when they end.
    func reset() {
        state.withLock { state in
            state.statistics = EmbeddedGateway.Statistics()
            state.statistics.peakRequests = state.inFlight
            state.journal = []
            state.first = state.nextNumber
        }
    }
}
