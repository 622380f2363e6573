import GatewayCore

/// The records that wait to be sent, and their counts. Pure: the caller starts the work that an action names.
///
/// A queue is *idle* (nothing waits, or an alarm is set for what waits) or *exporting*. Transitions: idle → exporting when a batch
/// is full, at the alarm, or by a flush; exporting → idle when no batch is full and none is due.
struct ExportQueue<Record: Sendable>: Sendable {
    /// What the caller does next.
    enum Action: Hashable {
        case nothing
        /// Call ``ring()`` when the batch delay has passed.
        case setAlarm
        /// Call ``next()`` until it returns `nil`, one batch at a time.
        case export
    }

    private let capacity: Int
    private let batchLimit: Int
    private let byteLimit: Int
    private let keepsLatest: Bool
    private let size: @Sendable (Record) -> Int
    private var waiting: [Record] = []
    private var waitingBytes = 0
    /// The records that are being sent.
    private var sending = 0
    private var isExporting = false
    private var isDue = false
    private var hasAlarm = false
    private(set) var counts = ExportCounts()

    /// - Parameters:
    ///   - byteLimit: how many bytes may wait.
    ///   - keepsLatest: whether a record replaces one that waits. It has what that one has, so that nothing is lost.
    ///   - size: the bytes of a record, roughly.
    init(
        capacity: Int, batchLimit: Int, byteLimit: Int = .max, keepsLatest: Bool = false,
        size: @escaping @Sendable (Record) -> Int = { _ in 0 }
    ) {
        self.capacity = max(1, capacity)
        self.batchLimit = max(1, batchLimit)
        self.byteLimit = byteLimit
        self.keepsLatest = keepsLatest
        self.size = size
    }

    /// The number of records that have no outcome yet.
    var remaining: Int { waiting.count + sending }
    /// The number of records that had room, since the start.
    var acceptedCount: Int { counts.ended - counts.dropped }

    /// Adds a record. If there is no room, it is dropped and counted.
    mutating func add(_ record: Record) -> Action {
        if keepsLatest, !waiting.isEmpty {
            waiting[waiting.count - 1] = record
            return .nothing
        }
        counts.ended = counts.ended.addingClamped(1)
        let bytes = waitingBytes.addingClamped(size(record))
        guard waiting.count < capacity, bytes <= byteLimit else {
            counts.dropped = counts.dropped.addingClamped(1)
            return .nothing
        }
        waiting.append(record)
        waitingBytes = bytes
        if isExporting { return .nothing }
        if waiting.count >= batchLimit { return begin() }
        return alarm()
    }

    /// The batch delay has passed.
    mutating func ring() -> Action {
        hasAlarm = false
        return makeDue()
    }

    /// What waits is sent immediately.
    mutating func makeDue() -> Action {
        guard !waiting.isEmpty else { return .nothing }
        isDue = true
        return isExporting ? .nothing : begin()
    }

    private mutating func begin() -> Action {
        isExporting = true
        return .export
    }

    private mutating func alarm() -> Action {
        if hasAlarm || waiting.isEmpty { return .nothing }
        hasAlarm = true
        return .setAlarm
    }

    /// The next batch; `nil` if none is full or due, with what to do instead.
    mutating func next() -> (batch: [Record]?, action: Action) {
        guard waiting.count >= batchLimit || isDue && !waiting.isEmpty else {
            isExporting = false
            isDue = false
            return (nil, alarm())
        }
        let batch = Array(waiting.prefix(batchLimit))
        waiting.removeFirst(batch.count)
        waitingBytes = batch.reduce(waitingBytes) { $0 - size($1) }
        sending = batch.count
        if waiting.isEmpty { isDue = false }
        return (batch, .nothing)
    }

    /// The batch has an outcome.
    mutating func end(_ delivery: OTLPDelivery) {
        switch delivery {
        case .taken(let rejected):
            let rejected = min(sending, max(0, rejected))
            counts.rejected = counts.rejected.addingClamped(rejected)
            counts.exported = counts.exported.addingClamped(sending - rejected)
        case .again(_, let failure), .lost(let failure):
            counts.failed = counts.failed.addingClamped(sending)
            counts.lastFailure = failure.name
        }
        sending = 0
    }
}

/// The records of one kind, by what became of them: `ended` = `exported` + `rejected` + `failed` + `dropped` + those that wait.
public struct ExportCounts: Hashable, Sendable {
    /// Those that were recorded.
    public internal(set) var ended = 0
    /// Those that the collector has.
    public internal(set) var exported = 0
    /// Those that the collector rejected (partial success).
    public internal(set) var rejected = 0
    /// Those that could not be delivered.
    public internal(set) var failed = 0
    /// Those that had no room in the queue. Metrics that newer ones replace before they are sent are not counted.
    public internal(set) var dropped = 0
    /// The status or the name of the error's code of the last batch that could not be delivered; `nil` if there was none.
    public internal(set) var lastFailure: String?
}
