import GatewayCore

/// The store's part of a slot: the known record, and the reaction to a record that was read.
extension TokenSlotStateMachine {
    /// The known state of the key's record.
    struct Stored {
        /// The newest generation that was read or written; 0 before the first.
        var generation: UInt64 = 0
        /// Its login; `nil` before the store was first read or written.
        var login: UInt64?
        /// Whether the newest record must not be missed: see ``StoredToken/isIrreplaceable``.
        var isIrreplaceable = false
        /// A failure that lasts until the store contains a newer record.
        var lasting: NetworkError?

        mutating func note(_ record: StoredToken) {
            generation = record.generation
            login = record.login
            isIrreplaceable = record.isIrreplaceable
            lasting = nil
        }

        /// Whether the store should contain a newer record than the one that was read. A record of the same generation
        /// and another login was written by a process that did not know this one's.
        func hasLost(_ record: StoredToken?) -> Bool {
            guard let record else { return isIrreplaceable }
            if record.content == .lost || record.generation > StoredToken.lastGeneration { return true }
            let isOther = login != nil && login != record.login
            let isOlder = record.generation < generation || record.generation == generation && isOther
            return isIrreplaceable && isOlder
        }

        mutating func fail(_ error: NetworkError) { lasting = error }
    }

    /// What a flight does after it has read the store.
    enum Reading {
        /// Another process has refreshed the token: it is used without a request.
        case adopt(TokenGrant)
        /// The acquirer is called with this previous grant.
        case ask(previous: TokenGrant?, isRejected: Bool)
        /// Another process has signed in or out.
        case follow(StoredToken)
        /// The known record is lost, and later records may be: nothing is sent, and the loss is stored.
        case lost(NetworkError)
        /// No token can be obtained until the store contains a newer record.
        case fail(NetworkError)
        /// The flight's epoch has ended.
        case discard
    }

    /// Called when a flight has read the store.
    ///
    /// - Parameters:
    ///   - record: the stored record.
    ///   - isOutdated: whether this process has a sign-in or sign-out that is not stored yet.
    ///   - unixTime: the wall clock.
    mutating func read(
        _ record: StoredToken?, for flight: Flight, isOutdated: Bool, unixTime: Duration
    ) -> Reading {
        guard flight.epoch == epoch, let known = stored else { return .discard }
        if !isOutdated, known.hasLost(record) { return .lost(known.lasting ?? Self.lost) }
        guard let record, record.generation > known.generation, !isOutdated else {
            if let error = known.lasting { return .fail(error) }
            // The read before the lock may have found another token than the rejected one.
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

    /// Ends the epoch because another process has signed in or out.
    ///
    /// - Returns: the waiters of the previous epoch; they get ``signedOut``.
    mutating func follow(
        _ record: StoredToken, epoch: UInt64, now: ContinuousClock.Instant, unixTime: Duration, chance: Double
    ) -> [WaiterID] {
        let usable = record.grant.flatMap { self.usable($0, unixTime: unixTime) }
        let waiters = signIn(usable, epoch: epoch, now: now, chance: chance)
        stored?.note(record)
        if let grant = record.grant, usable == nil { lastGrant = TokenGrant(grant, expiresIn: nil) }
        if record.content == .signedOut {
            stored?.fail(Self.signedOut)
            state = .signedOut(recheck: recheck(now: now, chance: chance))
        }
        return waiters
    }

    static var lost: NetworkError {
        NetworkError(
            .reauthenticationRequired,
            "The stored token record was lost or damaged. Sign in again."
        )
    }

    /// When the store is read again after a permanent failure.
    func recheck(now: ContinuousClock.Instant, chance: Double) -> ContinuousClock.Instant? {
        stored == nil ? nil : now.adding(max(policy.longestBackoff, .zero).scaled(by: 0.5 + 0.5 * chance))
    }

    /// A stored grant with its remaining lifetime; `nil` if that is too short.
    ///
    /// The times come from two wall clocks. If the local one is behind, the lifetime is limited to the granted one.
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
    /// Creates a stored grant from a grant and the wall-clock time of its request.
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
    /// Rounded down to milliseconds, the precision of a record, so that the value read equals the stored one.
    fileprivate var inMilliseconds: Duration {
        .milliseconds(wholeMilliseconds)
    }
}
