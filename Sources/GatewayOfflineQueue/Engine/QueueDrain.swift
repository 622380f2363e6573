import GatewayCore
import Synchronization

/// Sends the entries of a store: leases them, makes their attempts, and stores how they ended.
///
/// One loop does what needs the store, one transaction after the other. What is leased is sent as soon as there is room, also
/// while the store is busy; so a round leases more entries than are sent at the same time if they are sent fast.
actor QueueDrain {
    /// The largest number of entries that are leased ahead.
    static let mostReady = 2_048
    /// Nothing more is leased while the bodies at hand have so many bytes.
    static let mostReadyBytes = QueueTable.mostBytes
    /// How long ends of attempts are gathered before they are stored, while enough is at hand.
    static let gatherTime = Duration.milliseconds(20)
    /// The entries at hand that are enough, at least: only a fast server needs few transactions.
    static let leastAtHand = 64
    /// After this time, entries at hand are given back, except as many as are sent at once: the server is slow, and urgent
    /// entries that are stored later must not wait for them.
    static let longestAtHand = Duration.seconds(1)

    /// An entry that is leased and not sent yet.
    struct AtHand {
        let lease: QueueLease
        /// When it was leased.
        let since: ContinuousClock.Instant
        var origin: Origin { lease.item.origin }
    }

    /// An attempt in progress.
    struct Running {
        let task: Task<Void, Never>
        /// When it began.
        let since: ContinuousClock.Instant
    }

    /// An entry whose last attempt failed at its server.
    struct Failure {
        let origin: Origin
        let reason: String
    }

    struct QuietWaiter {
        let deadline: Deadline
        let continuation: CheckedContinuation<Bool, Never>
    }

    struct StoreFailure {
        let code: String
        let until: ContinuousClock.Instant
        let pause: Duration
    }

    struct AccountHold {
        /// The login of the last attempt; `nil` if there was none.
        let identity: CredentialIdentity?
        let until: ContinuousClock.Instant
        let pause: Duration
    }

    let writer: QueueWriter
    let ownership: any QueueOwnership
    let board: TicketBoard
    let outcomes: Broadcast<QueueOutcome>
    let statuses: Broadcast<QueueStatus>
    let configuration: OfflineQueueEngine.Configuration
    let sender: QueueSender
    let network: (any NetworkConditionSource)?
    let wakes: AsyncStream<Void>.Continuation
    let rounds: AsyncStream<Void>

    var loop: Task<Void, Never>?
    var watch: Task<Void, Never>?
    var timer: (due: ContinuousClock.Instant, task: Task<Void, Never>)?

    var gate: SendGate
    var ready: ArraySlice<AtHand> = []
    var leaseSize: Int
    var gathersUntil: ContinuousClock.Instant?
    var running: [QueueEntry.ID: Running] = [:]
    /// The entries whose last attempt failed at their server.
    var failing: [QueueEntry.ID: Failure] = [:]
    /// The origins that were busy, of which an entry without failures is to be tried next.
    var busyOrigins: Set<Origin> = []
    /// Whether the attempt that began last is of one of them.
    var lastIsFailing = false
    var ended: [QueueSender.Result] = []
    /// The entries of attempts that have ended, until that is stored and told.
    var untold: Set<QueueEntry.ID> = []
    var report = DrainReport()

    var isStarted = false
    /// Whether somebody has started the queue and not stopped it.
    var isWanted = false
    /// The number of drains in progress, which need the queue for their time only.
    var drains = 0
    var isStopping = false
    var wasOnline = true
    var opensAt: ContinuousClock.Instant?
    /// The failure after which the store rests.
    var storeFailure: StoreFailure?
    /// The last one, which may be over.
    var lastFailure: StoreFailure?
    /// Why nothing of the store can be read any more, until it can.
    var loss: QueueError? { didSet { isLost = loss != nil } }
    /// Whether there is a ``loss``: looked at for each attempt, without a copy of the error.
    private(set) var isLost = false
    /// Why entries are missing that were not in a damaged file any more.
    var damage: QueueError?
    var heldAccounts: [QueueAccount: AccountHold] = [:]
    var parkedAs: [QueueAccount: CredentialIdentity?] = [:]
    var nextCheck: ContinuousClock.Instant?
    /// When something can be sent again that cannot be now.
    var opening: ContinuousClock.Instant?
    var nextPrune: ContinuousClock.Instant?
    var foreignVersion: Int64?
    var nextDue: QueueTime?
    /// The newest time of the store, while the clock is behind it: entries that may have been sent wait for it.
    var clockDue: QueueTime?
    var clockWatch: QueueClockWatch
    var quietWaiters: [UInt64: QuietWaiter] = [:]
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var nextWaiter: UInt64 = 0
    var lastStatus: QueueStatus?
    var counts: [QueueEntry.State: Int] = [:]
    /// Whether a lease may give something.
    var hasNews = true
    nonisolated let added = Atomic(false)

    var clock: any GatewayClock { configuration.clock }
    var wallNow: QueueTime { QueueTime(configuration.clock) }

    init(
        writer: QueueWriter, ownership: any QueueOwnership, board: TicketBoard, engine: any RequestEngine,
        network: (any NetworkConditionSource)?, configuration: OfflineQueueEngine.Configuration
    ) {
        self.writer = writer
        self.ownership = ownership
        self.board = board
        self.network = network
        self.configuration = configuration
        sender = QueueSender(engine: engine, configuration: configuration)
        gate = SendGate(
            concurrency: configuration.concurrency, longAttempt: configuration.attemptDeadline / 6,
            longestBusyPause: min(configuration.backoff.base, .seconds(1)))
        leaseSize = configuration.concurrency
        clockWatch = QueueClockWatch(configuration.clock)
        outcomes = Broadcast(capacity: 1_024)
        statuses = Broadcast()
        (rounds, wakes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        wakes.finish()
        watch?.cancel()
        timer?.task.cancel()
    }

    /// Entries were stored, or may be sent again.
    nonisolated func wake() {
        added.store(true, ordering: .releasing)
        wakes.yield()
    }
}
