public import GatewayCore

extension OfflineQueueEngine {
    /// The settings of a queue.
    public struct Configuration: Sendable {
        /// The maximum number of concurrent requests, 1 to 1,000. Defaults to 4.
        public var concurrency = 4
        /// The limits of stored entries.
        public var limits = QueueLimits()
        /// How long an entry waits after an attempt that may have reached the server.
        public var backoff = QueueBackoff()
        /// The waiting time after which the priority of an entry rises by one, 1 ms or longer; `nil`
        /// disables ageing. Defaults to 10 min.
        public var ageing: Duration? = .seconds(600)
        /// Whether later entries of a priority are sent first. Entries then do not age.
        public var isNewestFirst = false
        /// The minimum quality of the network for sending. Defaults to
        /// ``GatewayCore/NetworkCondition/Quality/poor``: entries are sent whenever there is a network.
        public var minimumQuality = NetworkCondition.Quality.poor
        /// The maximum random delay after the network returns, zero or more, so that clients do not
        /// reconnect simultaneously. Defaults to 1 s.
        public var reconnectJitter = Duration.seconds(1)
        /// The time limit of an attempt, including the refresh of a token; more than zero. Defaults to 60 s.
        public var attemptDeadline = Duration.seconds(60)
        /// The interval at which the file is checked for changes by other processes and for ended owners,
        /// more than zero. Defaults to 0.5 s; ten times as long while the queue is empty.
        public var checkInterval = Duration.milliseconds(500)
        /// How long entries are kept that are done, expired, cancelled, superseded or dropped; zero or more.
        /// Defaults to 24 h. While a completed entry is kept, its idempotency key is known, and the same
        /// request is not stored again.
        public var keepsFinal = Duration.seconds(86_400)
        /// The account of requests without an account.
        public var account = QueueAccount("default")
        /// The credential of requests without an account, for example of a generated client whose
        /// credentials differ from those of the queue's engine; `nil` uses that of the engine. A new login
        /// ends the wait of parked entries.
        ///
        /// ```swift
        /// settings.credential = try credential.credentials(for: ["https://api.example.com"], engine: engine)
        /// ```
        /// It must be valid for the origins of all entries. Stored entries of other accounts wait. Only one
        /// of this and ``credentials`` can be set.
        public var credential: (any CredentialSource)?
        /// Returns the current credential of an account; `nil` if it is not signed in. Entries of another
        /// account are never sent with it: they wait.
        ///
        /// If it is `nil`, requests without an account are sent with ``credential`` or the credential of the
        /// engine, and requests with an account other than ``account`` are rejected.
        public var credentials: (@Sendable (QueueAccount) async -> (any CredentialSource)?)?
        /// Decides how a response changes its entry.
        public var verdict: @Sendable (QueueVerdict.Facts) -> QueueVerdict = { QueueVerdict($0) }
        /// The names of header fields that are stored in addition to the default ones. Fields with
        /// credentials are never stored.
        public var fields: Set<HTTPField.Name> = []
        /// The receiver of the queue's events; `nil`, the default, for the sink of the engine, if it has
        /// one.
        public var events: (any RequestEventSink)?
        /// The clock.
        public var clock: any GatewayClock = SystemClock()
        /// The source of idempotency keys and jitter.
        public var random: any RandomSource = SystemRandomSource()

        /// The defaults.
        public init() {}

        /// Checks the values.
        ///
        /// - Throws: ``QueueError`` with the code ``QueueError/Code/invalid`` and the invalid property.
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

        /// Whether the queue has separate credentials.
        var hasCredentials: Bool { credential != nil || credentials != nil }

        /// The current credential of an account; `nil` if it has none.
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
