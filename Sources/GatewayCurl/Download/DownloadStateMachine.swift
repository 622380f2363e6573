import GatewayCore

/// The buffer between the loop, which receives a response body, and its reader. A pure state machine.
///
/// When the window is full, the loop stops receiving until the reader has taken the bytes. A waiting reader gets all
/// bytes of one loop iteration as a single chunk.
struct DownloadStateMachine<Waiter> {
    private enum Reader {
        /// No reader is waiting. → `waiting`, `gone`
        case absent
        /// A reader is waiting, and no bytes are buffered. → `absent`, `gone`
        case waiting(Waiter)
        /// The reader has stopped reading. Further bytes are discarded.
        case gone
    }

    private enum Ending {
        case open
        /// The body is complete, or failed.
        case ended(NetworkError?)
        /// The reader was told about the end.
        case told
    }

    private let window: Int
    private var reader = Reader.absent
    private var ending = Ending.open
    private var bytes: [UInt8] = []
    private var recycler = BufferRecycler()
    private var isPaused = false
    private var isNoted = false

    /// Creates a buffer.
    ///
    /// - Parameter window: the maximum number of buffered bytes, at least 1. A single larger part is accepted.
    init(window: Int) { self.window = max(1, window) }

    /// The number of buffered bytes.
    var bufferedCount: Int { bytes.count }

    /// Stores a part if there is space.
    mutating func receive(_ piece: UnsafeRawBufferPointer) -> DownloadReception {
        if case .gone = reader { return .discard }
        guard bytes.isEmpty || piece.count <= window - bytes.count else {
            isPaused = true
            return .pause
        }
        if bytes.isEmpty { bytes = recycler.next(room: min(window, max(piece.count, 64 << 10))) }
        unsafe bytes.append(contentsOf: piece)
        return .stored(wakes: note())
    }

    /// Ends the body. Returns whether a reader is waiting.
    mutating func end(_ error: NetworkError?) -> Bool {
        guard case .open = ending else { return false }
        ending = .ended(error)
        isPaused = false
        recycler.clear()
        return note()
    }

    /// Called at the end of a loop iteration. Returns the waiter to resume with its delivery, and whether a paused
    /// transfer can continue.
    mutating func deliver() -> (waiter: Waiter, delivery: DownloadDelivery, unpauses: Bool)? {
        isNoted = false
        guard case .waiting(let waiter) = reader, let (delivery, unpauses) = takeDelivery() else {
            return nil
        }
        reader = .absent
        return (waiter, delivery, unpauses)
    }

    enum NextAction {
        /// Deliver this. `unpauses`: tell the loop that there is space.
        case deliver(DownloadDelivery, unpauses: Bool)
        /// Wait to be resumed.
        case wait
        /// The reader has already stopped.
        case cancelled
        /// Another reader is already waiting.
        case busy
    }

    /// Requests the next chunk.
    mutating func next(_ waiter: Waiter) -> NextAction {
        switch reader {
        case .gone: return .cancelled
        case .waiting: return .busy
        case .absent:
            if let (delivery, unpauses) = takeDelivery() { return .deliver(delivery, unpauses: unpauses) }
            reader = .waiting(waiter)
            return .wait
        }
    }

    /// Ends reading, when the reader is cancelled or released. May be called at any time and more than once. Returns
    /// the waiter to resume, and whether the loop must be told.
    mutating func giveUp() -> (waiter: Waiter?, tellsLoop: Bool) {
        if case .gone = reader { return (nil, false) }
        var waiter: Waiter?
        if case .waiting(let waiting) = reader { waiter = waiting }
        reader = .gone
        bytes = []
        recycler.clear()
        isPaused = false
        if case .open = ending { return (waiter, true) }
        return (waiter, false)
    }

    private mutating func takeDelivery() -> (DownloadDelivery, unpauses: Bool)? {
        guard bytes.isEmpty else {
            defer {
                bytes = []
                isPaused = false
            }
            if case .open = ending { recycler.handsOut(bytes) }
            return (.bytes(bytes), isPaused)
        }
        switch ending {
        case .open: return nil
        case .ended(let error):
            ending = .told
            return (error.map { .failure($0) } ?? .end, false)
        case .told: return (.end, false)
        }
    }

    /// Records that a delivery is due. Returns whether it was not recorded before.
    private mutating func note() -> Bool {
        guard case .waiting = reader, !isNoted else { return false }
        isNoted = true
        return true
    }
}

/// A delivery to the reader of a download.
enum DownloadDelivery {
    /// The bytes since the last delivery.
    case bytes([UInt8])
    /// The end of the body.
    case end
    /// The body failed.
    case failure(NetworkError)
}

/// The result of storing a part.
enum DownloadReception {
    /// The part was stored. `wakes`: a reader is waiting; deliver at the end of the loop iteration.
    case stored(wakes: Bool)
    /// The window is full: pass the same part again later.
    case pause
    /// The body will not be read any further.
    case discard
}
