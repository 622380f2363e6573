import GatewayCore

/// What a store adds to a slot: the record that is known, and what to do about one that was read.
extension TokenSlotStateMachine {
    /// What is known of the key's record.
    struct Stored {
        /// The newest generation that was read or written; 0 before the first.
        var generation: UInt64 = 0
        /// Under which login; `nil` before the first contact.
        var login: UInt64?
        /// Whether the newest record must not be missed: see ``StoredToken/isIrreplaceable``.
        var isIrreplaceable = false
        /// A failure that lasts for as long as the store holds nothing newer.
        var lasting: NetworkError?

        mutating func note(_ record: StoredToken) {
            generation = record.generation
            login = record.login
            isIrreplaceable = record.isIrreplaceable
            lasting = nil
        }

        /// Whether the store should hold something newer than what was read there. A record of the same generation and
        /// another login was written by a process that did not know this one's.
        func hasLost(_ record: StoredToken?) -> Bool {
            guard let record else { return isIrreplaceable }
            if record.content == .lost || record.generation > StoredToken.lastGeneration { return true }
            let isOther = login != nil && login != record.login
            let isOlder = record.generation < generation || record.generation == generation && isOther
            return isIrreplaceable && isOlder
        }

        mutating func fail(_ error: NetworkError) { lasting = error }
    }

    /// What a flight does about what the store holds.
    enum Reading {
        /// Another process has renewed the token: it is used, and nobody is asked.
        case adopt(TokenGrant)
        /// The acquirer is asked for a grant that follows this one.
        case ask(previous: TokenGrant?, isRejected: Bool)
        /// Somebody signed out or in elsewhere.
        case follow(StoredToken)
        /// The record that was known is gone, and what came after it may be: nothing is sent, and the store is told.
        case lost(NetworkError)
        /// Nothing can be had until the store holds something newer.
        case fail(NetworkError)
        /// The flight's epoch is over.
        case discard
    }

    /// A flight has read the store.
    ///
    /// - Parameters:
    ///   - record: what the store holds.
    ///   - isOutdated: whether this process has signed in or out since, and could not store it yet.
    ///   - unixTime: the wall clock.
    mutating func read(
        _ record: StoredToken?, for flight: Flight, isOutdated: Bool, unixTime: Duration
    ) -> Reading {
        guard flight.epoch == epoch, let known = stored else { return .discard }
        if !isOutdated, known.hasLost(record) { return .lost(known.lasting ?? Self.lost) }
        guard let record, record.generation > known.generation, !isOutdated else {
            if let error = known.lasting { return .fail(error) }
            // What was read before the lock may have brought another token than the one that was rejected.
            let isSame = token == nil || token?.accessToken == lastGrant?.accessToken
            return .ask(previous: lastGrant, isRejected: flight.knowsOfRejection && isSame)
        }
        if let login = known.login, login != record.login { return .follow(record) }
        switch record.content {
        case .signedOut: return .follow(record)
        case .lost: return .lost(Self.lost)
        case .signedIn:
            stored?.note(record)
            return .ask(previous: lastGrant, isRejected: flight.knowsOfRejection)
        case .granted(let grant):
            stored?.note(record)
            let isRejected =
                generation > 0 && rejectedGeneration == generation && token?.accessToken == grant.accessToken
            let usable = usable(grant, unixTime: unixTime)
            lastGrant = usable ?? TokenGrant(grant, expiresIn: nil)
            if let usable, !isRejected { return .adopt(usable) }
            return .ask(previous: lastGrant, isRejected: isRejected)
        }
    }

    /// Somebody signed out or in elsewhere, and the epoch ends here too.
    ///
    /// - Returns: those who waited under the epoch before; they get ``signedOut``.
    mutating func follow(
        _ record: StoredToken, epoch: UInt64, now: ContinuousClock.Instant, unixTime: Duration, chance: Double
    ) -> [WaiterID] {
        let usable = record.grant.flatMap { self.usable($0, unixTime: unixTime) }
        let waiters = signIn(usable, epoch: epoch, now: now, chance: chance)
        stored?.note(record)
        if let grant = record.grant, usable == nil { lastGrant = TokenGrant(grant, expiresIn: nil) }
        if record.content == .signedOut {
            stored?.fail(Self.signedOut)
            state = .dead(Self.signedOut, nil, recheck: recheck(now: now, chance: chance))
        }
        return waiters
    }

    static var lost: NetworkError {
        NetworkError(
            .reauthenticationRequired,
            "The stored token record was lost or damaged. Sign in again."
        )
    }

    /// When a store is looked into again after a failure that lasts.
    func recheck(now: ContinuousClock.Instant, chance: Double) -> ContinuousClock.Instant? {
        stored == nil ? nil : now.adding(max(policy.longestBackoff, .zero).scaled(by: 0.5 + 0.5 * chance))
    }

    /// A stored grant with what is left of its life; `nil` where that is too little to use it.
    ///
    /// It counts by two wall clocks. One that is behind the other's makes a token live no longer than it was granted.
    private func usable(_ grant: StoredToken.Grant, unixTime: Duration) -> TokenGrant? {
        let issued = grant.issuedAt.bounded
        let whole = grant.expiresAt.map { $0.bounded - issued } ?? policy.assumedLifetime.bounded
        let left = min(issued + whole - unixTime.bounded, whole)
        let margin = max(policy.mandatoryMargin(of: whole), .seconds(1))
        guard left > margin, TokenSyntax.isSendable(grant.accessToken.exposed) else { return nil }
        return TokenGrant(grant, expiresIn: left)
    }
}

extension TokenGrant {
    fileprivate init(_ grant: StoredToken.Grant, expiresIn: Duration?) {
        self.init(
            accessToken: grant.accessToken, expiresIn: expiresIn, refreshToken: grant.refreshToken,
            scopes: grant.scopes, type: grant.type)
    }
}

extension StoredToken.Grant {
    /// A grant that was asked for at a time of the wall clock.
    init(_ grant: TokenGrant, sent: Duration) {
        self.init(
            accessToken: grant.accessToken, refreshToken: grant.refreshToken,
            issuedAt: sent.inMilliseconds,
            expiresAt: grant.expiresIn.map { (sent.bounded + $0.bounded).inMilliseconds },
            scopes: grant.scopes,
            type: grant.type)
    }
}

extension Duration {
    /// Rounded down to what a record holds, so that it comes back as it was stored.
    fileprivate var inMilliseconds: Duration {
        .milliseconds(wholeMilliseconds)
    }
}
