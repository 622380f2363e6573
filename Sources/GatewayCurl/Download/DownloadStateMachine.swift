import GatewayCore

/// The meeting point of a response's body, which the loop brings, and its reader, who waits. Pure: events in,
/// actions out.
///
/// Bytes gather up to a window; from then on the loop leaves them with the server until the reader has taken what
/// is there. What gathers in one turn of the loop reaches a reader who waits in one piece.
struct DownloadStateMachine<Waiter> {
    private enum Reader {
        /// Nobody waits. → `waiting`, `gone`
        case absent
        /// He waits, and nothing is there. → `absent`, `gone`
        case waiting(Waiter)
        /// He gave up: what comes is thrown away.
        case gone
    }

    private enum Ending {
        case open
        /// All of it came, or it broke off.
        case ended(NetworkError?)
        /// The reader was told.
        case told
    }

    private let window: Int
    private var reader = Reader.absent
    private var ending = Ending.open
    private var bytes: [UInt8] = []
    private var recycler = BufferRecycler()
    private var isPaused = false
    private var isNoted = false

    /// Makes one.
    ///
    /// - Parameter window: how many bytes wait for the reader at most, 1 or more. A single larger piece is taken.
    init(window: Int) { self.window = max(1, window) }

    /// How many bytes wait for the reader.
    var bufferedCount: Int { bytes.count }

    /// The loop brings a piece, which is stored if there is room.
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

    /// The body has ended, or broken off. Tells whether the reader waits.
    mutating func end(_ error: NetworkError?) -> Bool {
        guard case .open = ending else { return false }
        ending = .ended(error)
        isPaused = false
        recycler.clear()
        return note()
    }

    /// The loop's turn is over: whom to resume with what, and whether a paused transfer can go on.
    mutating func deliver() -> (waiter: Waiter, delivery: DownloadDelivery, unpauses: Bool)? {
        isNoted = false
        guard case .waiting(let waiter) = reader, let (delivery, unpauses) = takeDelivery() else {
            return nil
        }
        reader = .absent
        return (waiter, delivery, unpauses)
    }

    enum NextAction {
        /// Here it is. `unpauses`: tell the loop that there is room.
        case deliver(DownloadDelivery, unpauses: Bool)
        /// It is to come: he is resumed later.
        case wait
        /// He gave up already.
        case cancelled
        /// Somebody waits already.
        case busy
    }

    /// The reader wants the next piece.
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

    /// The reader gives up, by being cancelled or going away; may happen at any time and more than once. Gives back
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

    /// Whether a delivery is due that nobody has been told of.
    private mutating func note() -> Bool {
        guard case .waiting = reader, !isNoted else { return false }
        isNoted = true
        return true
    }
}

/// What the reader of a download gets.
enum DownloadDelivery {
    /// What came since the last.
    case bytes([UInt8])
    /// There is no more.
    case end
    /// It broke off.
    case failure(NetworkError)
}

/// What became of a piece that the loop brought.
enum DownloadReception {
    /// It was stored. `wakes`: the reader waits; deliver at the end of the turn.
    case stored(wakes: Bool)
    /// The window is full: bring the same piece again later.
    case pause
    /// Nobody wants it.
    case discard
}
