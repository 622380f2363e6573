import GatewayCore

/// A part of a call: an attempt, a wait, or something that happened at an instant. Times are nanoseconds from the start of the
/// collector.
struct CallStep: Sendable {
    enum Kind: Sendable {
        case attempt(AttemptInfo)
        case token, admission, rateGate
        /// The delay before the next attempt.
        case retry
        /// The wait for the response of an equal call.
        case joined(leader: UInt64)
        case redirected(to: Origin)
        case rejected(generation: UInt64)
        case replayed(generation: UInt64)
        case cache(CacheResult)
        case cacheStored(bytes: Int)
        case hedged
        case hedgeDecided(HedgeOutcome)
        case notRetried(RetryRefusal)
        case rateLimited(for: Duration)
        /// A fallback replaced the error of the call, after its end.
        case fallback(step: String)
        /// The body of the response ended early, after the end of the call.
        case bodyFailed
    }

    /// The response or the error that the step is about.
    enum Result: Sendable {
        case status(Int)
        case error(NetworkError.Code, phase: NetworkError.Phase?)
    }

    /// The timings of an exchange, on the heap: they are large, and few steps have them.
    final class Phases: Sendable {
        let timings: ExchangeTimings

        init(_ timings: ExchangeTimings) { self.timings = timings }
    }

    let kind: Kind
    let begin: UInt64
    /// `nil` for an instant, and for what has not ended.
    var nanoseconds: UInt64?
    var result: Result?
    /// Whether an attempt that has ended was passed to the transport.
    var wasSent = true
    var connection: ConnectionInfo?
    var phases: Phases?

    init(_ kind: Kind, begin: UInt64, nanoseconds: UInt64? = nil, result: Result? = nil) {
        self.kind = kind
        self.begin = begin
        self.nanoseconds = nanoseconds
        self.result = result
    }

    /// Ends it.
    mutating func end(at time: UInt64) { nanoseconds = time - min(time, begin) }

    /// Ends an attempt.
    mutating func end(_ end: AttemptEnd, at time: UInt64) {
        self.end(at: time)
        result = Result(end.outcome)
        wasSent = end.duration != nil
        if let connection = end.connection { self.connection = connection }
    }

    /// Whether it lasts until something ends it.
    var isOpen: Bool {
        guard nanoseconds == nil else { return false }
        return switch kind {
        case .attempt, .joined: true
        default: false
        }
    }
}

extension CallStep.Result {
    init?(status: Int?, error: NetworkError.Code?) {
        if let status {
            self = .status(status)
        } else if let error {
            self = .error(error, phase: nil)
        } else {
            return nil
        }
    }

    init(_ outcome: AttemptEnd.Outcome) {
        switch outcome {
        case .response(let status): self = .status(status)
        case .error(let code, let phase): self = .error(code, phase: phase)
        }
    }
}
