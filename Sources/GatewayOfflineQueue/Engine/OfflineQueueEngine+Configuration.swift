public import GatewayCore

extension OfflineQueueEngine {
    /// How a queue behaves.
    public struct Configuration: Sendable {
        /// The number of requests that are sent at the same time, 1 to 1,000. 4 by default.
        public var concurrency = 4
        /// How much is stored.
        public var limits = QueueLimits()
        /// How long an entry waits after an attempt that may have reached the server.
        public var backoff = QueueBackoff()
        /// The time by which the priority of an entry rises by one, 1 ms or longer; `nil` for no ageing. 10 min by default.
        public var ageing: Duration? = .seconds(600)
        /// Whether later entries are sent first among those of a priority. Entries do not age then.
        public var isNewestFirst = false
        /// The quality of the network below which nothing is sent. By default ``GatewayCore/NetworkCondition/Quality/poor``: everything
        /// is sent as long as there is a network.
        public var minimumQuality = NetworkCondition.Quality.poor
        /// The longest wait after the network came back, so that clients do not come back together; zero or more. The wait is
        /// random. 1 s by default.
        public var reconnectJitter = Duration.seconds(1)
        /// How long an attempt may take, the refresh of a token included; more than zero. 60 s by default.
        public var attemptDeadline = Duration.seconds(60)
        /// How often the file is checked for changes by other processes, and for owners that have ended; more than zero. 0.5 s by
        /// default, and ten times that while the queue is empty.
        public var checkInterval = Duration.milliseconds(500)
        /// How long entries are kept that are done, expired, cancelled, superseded or dropped; zero or more. 24 h by default. While
        /// an entry that is done is kept, its idempotency key is known, and the same request is not stored again.
        public var keepsFinal = Duration.seconds(86_400)
        /// The account of requests that name none.
        public var account = QueueAccount("default")
        /// The credential of requests that name no account, for example of a generated client whose credentials are not those of
        /// the queue's engine; `nil` for that of the engine. A login that follows another one ends the wait of parked entries.
        ///
        /// ```swift
        /// settings.credential = coordinator.credentials(origins: [try Origin("https://api.example.com")])
        /// ```
        /// It must be for the origins of all entries. Entries of another account, which the store may have, wait. Only one of it and
        /// ``credentials`` can be set.
        public var credential: (any CredentialSource)?
        /// The credential of an account at this moment; `nil` if it is not signed in. The entries of another account are
        /// never sent with it: they wait.
        ///
        /// Without it, requests that name no account are sent with ``credential`` or that of the engine, and requests that name
        /// one are refused.
        public var credentials: (@Sendable (QueueAccount) async -> (any CredentialSource)?)?
        /// What becomes of an entry after a response.
        public var verdict: @Sendable (QueueVerdict.Facts) -> QueueVerdict = { QueueVerdict($0) }
        /// The names of header fields that are stored besides the usual ones. Fields with credentials are never stored.
        public var fields: Set<HTTPField.Name> = []
        /// Receives the events of the queue; `nil`, the default, for the sink of the engine, if that has one.
        public var events: (any RequestEventSink)?
        /// The clock.
        public var clock: any GatewayClock = SystemClock()
        /// The source of idempotency keys and jitter.
        public var random: any RandomSource = SystemRandomSource()

        /// The defaults.
        public init() {}

        /// Checks the values.
        ///
        /// - Throws: ``QueueError`` with the code ``QueueError/Code/invalid`` and the property that is wrong.
        public func validate() throws(QueueError) {
            try Self.require((1...1_000).contains(concurrency), "concurrency", "must be from 1 to 1,000")
            try Self.require(limits.count > 0, "limits.count", "must be 1 or more")
            try Self.require(limits.bytes > 0, "limits.bytes", "must be 1 or more")
            try Self.require(backoff.base > .zero, "backoff.base", "must be more than zero")
            try Self.require(
                backoff.longest >= backoff.base && backoff.longest <= QueueItem.longestLife,
                "backoff.longest", "must be from the base to 30 days")
            try Self.require(
                ageing.map { $0 >= .milliseconds(1) } ?? true, "ageing", "must be 1 ms or longer")
            try Self.require(
                reconnectJitter >= .zero && reconnectJitter <= .seconds(3_600), "reconnectJitter",
                "must be from zero to 1 h")
            try Self.require(attemptDeadline > .zero, "attemptDeadline", "must be more than zero")
            try Self.require(
                checkInterval >= .milliseconds(1) && checkInterval <= .seconds(3_600), "checkInterval",
                "must be from 1 ms to 1 h")
            try Self.require(keepsFinal >= .zero, "keepsFinal", "must be zero or more")
            try QueueItem.check(account.name, "account")
            try Self.require(
                credential == nil || credentials == nil, "credential",
                "must not be set together with credentials")
        }

        /// Whether the queue has credentials of its own.
        var hasCredentials: Bool { credential != nil || credentials != nil }

        /// The credential of an account at this moment; `nil` if it has none.
        func currentCredential(of account: QueueAccount) async -> (any CredentialSource)? {
            if let credentials { return await credentials(account) }
            return account == self.account ? credential : nil
        }

        private static func require(
            _ condition: Bool, _ property: String, _ rule: String
        ) throws(QueueError) {
            guard condition else { throw .invalid(property, rule) }
        }
    }
}
