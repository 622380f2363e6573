internal import GatewayCore
internal import GatewayJSON

/// How the values of one call are decoded: the JSON limits, and the deadline of the call.
struct BodyDecoding: Sendable {
    var limits = JSONLimits()
    var deadline: Deadline?
    var clock: any GatewayClock = SystemClock()

    /// Decodes a value from JSON. Cancellation and the deadline are checked only while large documents are decoded;
    /// small ones are decoded in microseconds.
    func value<Value: JSONDecodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(JSONError) -> Value {
        try Value(jsonBytes: bytes, limits: limits) { [deadline, clock] in
            if Task.isCancelled { return .cancelled }
            return deadline?.hasPassed(at: clock.time) == true ? .timeout : nil
        }
    }

    /// The error of a call that was cancelled or timed out while its response was decoded; `nil` for any other error.
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
