import GatewayCore

/// The limits of time of one loop, in nanoseconds.
struct TransferLimits: Sendable {
    let queue: Int64
    let connect: Int64
    let firstByte: Int64
    let read: Int64
    let write: Int64
    let whole: Int64
}

/// Where a transfer is and when its time is up. Pure: instants go in.
struct TransferTiming: Sendable {
    /// The stages that have a limit of their own.
    enum Stage: Sendable {
        /// Waiting for a connection to be free.
        case queued
        /// Resolving, connecting, shaking hands.
        case connecting
        /// Sending the body.
        case sending
        /// The body waits for whoever produces it: his time, not the server's.
        case producing
        /// Everything was sent; the response has not begun.
        case waiting
        /// The response is coming in.
        case receiving
        /// The response waits for whoever reads it: his time, not the server's.
        case consuming
        /// The caller is gone; the rest of the response is read for the connection's sake.
        case draining
    }

    /// The stage.
    private(set) var stage = Stage.queued
    private var since: Int64
    /// When the exchange was asked for.
    let submitted: Int64
    /// When it got its connection.
    var started: Int64
    /// When it must be over.
    private var wholeBy: Int64
    /// When the call must be over.
    private var callBy: Int64
    /// Whether the response may take as long as the call.
    private let isLimitedByCallAlone: Bool
    /// When the loop's wheel looks at this transfer next.
    var scheduled = LoopClock.never

    /// - Parameter isLimitedByCallAlone: whether the response may take as long as the call, whatever the limits say.
    init(submitted: Int64, limits: TransferLimits, callBy: Int64, isLimitedByCallAlone: Bool = false) {
        since = submitted
        self.submitted = submitted
        started = submitted
        self.isLimitedByCallAlone = isLimitedByCallAlone && callBy < LoopClock.never
        wholeBy = self.isLimitedByCallAlone ? LoopClock.never : submitted + limits.whole
        self.callBy = callBy
    }

    /// A stage begins.
    mutating func enter(_ stage: Stage, at now: Int64) {
        self.stage = stage
        since = now
    }

    /// The head is there and the body is read as a stream: from now on only the call's own deadline limits the whole.
    mutating func endWhole() { wholeBy = LoopClock.never }

    /// The caller is gone, and his time with him: what goes on has the limit of its stage alone.
    mutating func endCall() {
        wholeBy = LoopClock.never
        callBy = LoopClock.never
    }

    /// Whether the request is out, so that a response may have come.
    var awaitsResponse: Bool {
        switch stage {
        case .waiting, .receiving, .consuming, .draining: true
        case .queued, .connecting, .sending, .producing: false
        }
    }

    /// Bytes moved.
    mutating func progress(at now: Int64) { since = now }

    /// When time is up if nothing moves, and where an error would say it was lost.
    func expiry(_ limits: TransferLimits) -> (at: Int64, phase: NetworkError.Phase) {
        let (limit, phase): (Int64, NetworkError.Phase) =
            switch stage {
            case .queued: (limits.queue, .queue)
            case .connecting: (limits.connect, .connect)
            case .sending: (limits.write, .send)
            case .producing: (LoopClock.never, .send)
            case .waiting: (isLimitedByCallAlone ? LoopClock.never : limits.firstByte, .firstByte)
            case .receiving: (isLimitedByCallAlone ? LoopClock.never : limits.read, .receive)
            case .consuming: (LoopClock.never, .receive)
            case .draining: (CurlLoop.drainLimit, .receive)
            }
        var expiry = (at: since + limit, phase: phase)
        if wholeBy < expiry.at { expiry = (wholeBy, .attempt) }
        if callBy <= expiry.at { expiry = (callBy, .call) }
        return expiry
    }
}
