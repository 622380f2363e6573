internal import GatewayCore
internal import GatewayJSON

/// How the values of one call are decoded: within its limits, and no longer than the call may take.
struct BodyDecoding: Sendable {
    var limits = JSONLimits()
    var deadline: Deadline?
    var clock: any GatewayClock = SystemClock()

    /// Reads a value from JSON. Cancellation and the deadline end only large documents: a response that is here and is
    /// small is decoded in microseconds.
    func value<Value: JSONDecodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(JSONError) -> Value {
        try Value(jsonBytes: bytes, limits: limits) { [deadline, clock] in
            if Task.isCancelled { return .cancelled }
            return deadline?.hasPassed(at: clock.now) == true ? .timeout : nil
        }
    }

    /// The error of a call that ended while its response was decoded; `nil` for any other error.
    static func interruption(of error: JSONError, _ exchange: Exchange, status: Int) -> NetworkError? {
        switch error.code {
        case .cancelled:
            NetworkError(
                .cancelled, "The task was cancelled while the response was decoded.", origin: exchange.origin,
                phase: .call, status: status, attempts: exchange.attempts, mayHaveBeenSent: true)
        case .timeout:
            NetworkError(
                .timeout, "The call's deadline passed while the response was decoded.",
                origin: exchange.origin, phase: .call, status: status, attempts: exchange.attempts,
                mayHaveBeenSent: true)
        default: nil
        }
    }
}
