import GatewayCore

/// The stage of a transfer and its timeouts. A pure state machine: the caller passes the time.
struct TransferTiming: Sendable {
    /// The stages of a transfer. Each has its own time limit.
    enum Stage: Sendable {
        /// Waiting for a slot, and with it for the loop.
        case queued
        /// Resolving the name, connecting, TLS handshake.
        case connecting
        /// Sending the body.
        case sending
        /// Waiting for the producer of the body. No limit for the server applies.
        case producing
        /// The request was sent; the response has not started.
        case waiting
        /// Receiving the response.
        case receiving
        /// Waiting for the reader of the response. No limit for the server applies.
        case consuming
        /// The caller has ended; the rest of the response is read to keep the connection.
        case draining
    }

    /// The stage.
    private(set) var stage = Stage.queued
    private var since: Int64
    /// The time limits of the stages.
    let limits: TransferLimits
    /// When the request began to wait for its slot.
    let submitted: Int64
    /// When the loop started the exchange.
    var started: Int64
    /// When the exchange as a whole times out.
    private var wholeBy: Int64
    /// The deadline of the call.
    private(set) var callBy: Int64
    /// Whether only the deadline of the call limits the wait for the response.
    private let isLimitedByCallAlone: Bool
    /// When the timer wheel of the loop checks this transfer next.
    var scheduled = LoopClock.never

    /// The times of a request.
    ///
    /// - Parameter queued: how long it has waited for its slot, in nanoseconds.
    init(_ context: RequestContext, _ limits: TransferLimits, at now: Int64, queued: Int64 = 0) {
        since = now
        self.limits = context.limits.map { limits.under($0) } ?? limits
        submitted = now - queued
        started = now
        callBy =
            context.deadline.map { LoopClock.instant(of: $0, on: context.clock, now: now) } ?? LoopClock.never
        isLimitedByCallAlone = context.isLimitedByDeadlineAlone && callBy < LoopClock.never
        wholeBy = isLimitedByCallAlone ? LoopClock.never : submitted + self.limits.whole
    }

    /// Enters a stage.
    mutating func enter(_ stage: Stage, at now: Int64) {
        self.stage = stage
        since = now
    }

    /// Called when the header of a streamed response was received: from now on only the deadline of the call limits the
    /// whole exchange.
    mutating func endWhole() { wholeBy = LoopClock.never }

    /// Called when the call continues without this exchange, whose own limits still apply.
    mutating func endDeadline() { callBy = LoopClock.never }

    /// Called when the caller has ended: from now on only the limit of the stage applies.
    mutating func endCall() {
        wholeBy = LoopClock.never
        callBy = LoopClock.never
    }

    /// Whether the request was sent, so that a response may have been received.
    var awaitsResponse: Bool {
        switch stage {
        case .waiting, .receiving, .consuming, .draining: true
        case .queued, .connecting, .sending, .producing: false
        }
    }

    /// Restarts the limit of the stage, because bytes were transferred.
    mutating func progress(at now: Int64) { since = now }

    /// When the transfer times out without progress, and the phase of that limit.
    var expiry: (at: Int64, phase: NetworkError.Phase) {
        let (limit, phase): (Int64, NetworkError.Phase) =
            switch stage {
            case .queued: (limits.queue, .queue)
            case .connecting: (limits.connect, .connect)
            case .sending: (limits.write, .send)
            case .producing: (LoopClock.never, .produce)
            case .waiting: (isLimitedByCallAlone ? LoopClock.never : limits.firstByte, .firstByte)
            case .receiving: (isLimitedByCallAlone ? LoopClock.never : limits.read, .receive)
            case .consuming: (LoopClock.never, .consume)
            case .draining: (CurlLoop.drainLimit, .receive)
            }
        var expiry = (at: since + limit, phase: phase)
        if wholeBy < expiry.at { expiry = (wholeBy, .attempt) }
        if callBy <= expiry.at { expiry = (callBy, .call) }
        return expiry
    }
}
