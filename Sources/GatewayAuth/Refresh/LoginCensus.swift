import GatewayCore

/// Notices that one login of a process has many coordinators, each of which requests its own token: as when a client is
/// made anew for each call.
final class LoginCensus: Sendable {
    /// The coordinators of one login that have requested their first token.
    private struct Login {
        var since: ContinuousClock.Instant
        var coordinators = 0
        var isReported = false
    }

    /// So many coordinators within this time are reported.
    static let (limit, window) = (20, Duration.seconds(60))
    /// The maximum number of logins. Further ones are not noticed.
    private static let maximumLogins = 1_000

    /// The logins of the process.
    static let process = LoginCensus()

    private let logins = Locked<[Int: Login]>([:])

    /// Notes the first token of a coordinator.
    ///
    /// - Parameter login: the hash of what tells logins apart.
    /// - Returns: the number of coordinators, once for each login: when there are too many.
    func note(_ login: Int, at now: ContinuousClock.Instant) -> Int? {
        logins.withLock { logins in
            if logins[login] == nil, logins.count >= Self.maximumLogins {
                logins = logins.filter { $0.value.isReported || now < $0.value.since + Self.window }
                guard logins.count < Self.maximumLogins else { return nil }
            }
            var entry = logins[login] ?? Login(since: now)
            if !(entry.since..<entry.since + Self.window).contains(now) {
                (entry.since, entry.coordinators) = (now, 0)
            }
            entry.coordinators += 1
            let isNew = entry.coordinators >= Self.limit && !entry.isReported
            entry.isReported = entry.isReported || isNew
            logins[login] = entry
            return isNew ? entry.coordinators : nil
        }
    }
}

extension TokenSlot {
    /// Reports that the login's tokens are not shared, when a coordinator gets its first one.
    func noteFirstToken(at now: ContinuousClock.Instant, epoch: UInt64) {
        guard environment.isObserved, let login,
            let coordinators = environment.census.note(login, at: now)
        else { return }
        tell(.notShared(coordinators: coordinators), epoch: epoch, generation: 1)
    }

    /// What tells the login apart from others; `nil` if two coordinators may have different ones without a sign of it: those
    /// of a provider, of a user, or of a grant that is used up.
    private var login: Int? {
        let place = (environment.acquirer as? ClientCredentials)?.place
        guard place != nil || !key.client.isEmpty, key.subject == nil,
            !environment.acquirer.isSingleUse(after: nil), !(environment.acquirer is TokenExchange)
        else { return nil }
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(key)
        return hasher.finalize()
    }
}
