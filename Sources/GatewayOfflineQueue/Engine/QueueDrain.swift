import GatewayCore
import Synchronization

/// Sends the entries of a store: leases them, makes their attempts, and stores their ends.
///
/// One loop uses the store, one transaction after the other. Leased entries are sent as soon as a permit is
/// available, even while the store is busy; for fast servers a round therefore leases more entries than are
/// sent concurrently.
actor QueueDrain {
    /// The largest number of entries that are leased ahead.
    static let mostReady = 2_048
    /// The number of body bytes of leased entries beyond which nothing more is leased.
    static let mostReadyBytes = QueueTable.mostBytes
    /// How long ends of attempts are gathered before they are stored, while enough entries are leased.
    static let gatherTime = Duration.milliseconds(20)
    /// The minimum number of leased entries that is enough: only a fast server needs few transactions.
    static let leastAtHand = 64
    /// The time after which leased entries are returned, except as many as are sent concurrently: the server
    /// is slow, and urgent entries that are stored later must not wait for them.
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
    /// The origins that were busy, for which an entry without failures is tried next.
    var busyOrigins: Set<Origin> = []
    /// Whether the attempt that began last was for a failing entry.
    var lastIsFailing = false
    var ended: [QueueSender.Result] = []
    /// The entries of ended attempts whose end is not stored and reported yet.
    var untold: Set<QueueEntry.ID> = []
    var report = DrainReport()

    var isStarted = false
    /// Whether the queue is started.
    var isWanted = false
    /// The number of drains in progress.
    var drains = 0
    var isStopping = false
    var wasOnline = true
    var opensAt: ContinuousClock.Instant?
    /// The failure that has caused the current pause of the store.
    var storeFailure: StoreFailure?
    /// The last failure, whose pause may have ended.
    var lastFailure: StoreFailure?
    /// Why the store is not readable; `nil` if it is.
    var loss: QueueError? { didSet { isLost = loss != nil } }
    /// Whether there is a ``loss``: read for each attempt, without a copy of the error.
    private(set) var isLost = false
    /// The error for entries that were lost with a damaged file.
    var damage: QueueError?
    var heldAccounts: [QueueAccount: AccountHold] = [:]
    var parkedAs: [QueueAccount: CredentialIdentity?] = [:]
    var nextCheck: ContinuousClock.Instant?
    /// When entries can be sent again that currently cannot.
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
    /// Whether a lease may return entries.
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

    /// Called when entries were stored, or may be sent again.
    nonisolated func wake() {
        added.store(true, ordering: .releasing)
        wakes.yield()
    }
}
