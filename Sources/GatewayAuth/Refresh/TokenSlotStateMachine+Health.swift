import GatewayCore

/// What a slot tells about itself.
extension TokenSlotStateMachine {
    /// The state of the slot as one credential. Does not change the state of the machine.
    ///
    /// - Parameter health: has the label.
    func health(_ health: TokenHealth, now: ContinuousClock.Instant) -> TokenHealth {
        var health = health
        let usable = peek(atLeast: 0, now: now)
        health.credentials = 1
        health.usable = usable == nil ? 0 : 1
        health.refreshing = flight == nil ? 0 : 1
        health.waiting = waiterCount
        health.validFor = usable.map { now.duration(to: $0.expiry) }
        health.failure = lastFailure(now: now)
        health.failed = health.failure == nil ? 0 : 1
        health.unavailable = usable == nil && health.failure?.isPermanent == true ? 1 : 0
        return health
    }

    private func lastFailure(now: ContinuousClock.Instant) -> TokenHealth.Failure? {
        if let problem { return TokenHealth.Failure(code: problem.code, isPermanent: true) }
        return switch state {
        case .failed(let failure, _):
            TokenHealth.Failure(
                code: failure.error.code, isPermanent: false,
                retryAfter: max(.zero, now.duration(to: failure.until)))
        case .dead(let error, _, _): TokenHealth.Failure(code: error.code, isPermanent: true)
        case .signedOut: TokenHealth.Failure(code: .signedOut, isPermanent: true)
        case .empty, .holding, .refreshing, .overdue: nil
        }
    }
}

extension TokenKey {
    /// The prefix of tenants that tell the credentials of one process apart. They are no tenants of an issuer.
    package static let processTenantPrefix = "credential-"

    /// Whether a program has many such keys: for subjects, or for tenants of an issuer.
    var isOfMany: Bool {
        subject != nil || tenant.map { !$0.hasPrefix(Self.processTenantPrefix) } ?? false
    }

    /// Issuer, client and scopes, without the query of a URL, the tenant and the subject.
    var label: String {
        let place = String(issuer.prefix { $0 != "?" && $0 != "#" })
        let parts = ([place, client] + scopes).filter { !$0.isEmpty }
        return parts.isEmpty ? "default" : parts.joined(separator: " ")
    }
}

extension TokenSlot {
    /// The state of this slot and of those with more scopes.
    var health: [TokenHealth] {
        let now = environment.clock.now
        let labelled = TokenHealth(label: key.label, isForSubjects: key.isOfMany)
        let (own, wider) = state.withLock { state in
            (state.machine.health(labelled, now: now), Array(state.wider.values))
        }
        return [own] + wider.flatMap(\.health)
    }
}
