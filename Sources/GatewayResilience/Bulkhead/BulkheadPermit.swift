import GatewayCore

/// The permit of a call. Three words, so that an existential stores it inline.
struct BulkheadPermit: AdmissionPermit {
    private let bulkhead: Bulkhead
    /// When it was given, in ticks of the bulkhead.
    private let begin: UInt32
    /// The number of the origin, whether the call has waited, and in the lowest three bits the number of the method.
    private let packed: UInt32
    /// The context of the call, for the name of its operation.
    private let context: RequestContext?

    /// The classes of calls without an operation: a write takes longer than a read.
    private static let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]

    init(
        _ bulkhead: Bulkhead, _ place: Int, _ method: HTTPMethod?, _ context: RequestContext?,
        hasWaited: Bool = false
    ) {
        self.bulkhead = bulkhead
        self.context = context
        begin = bulkhead.ticks
        // A loop, since a closure would allocate without optimization.
        var index = 0
        while index < Self.methods.count, Self.methods[index] != method { index += 1 }
        packed =
            UInt32(truncatingIfNeeded: place) << 4 | (hasWaited ? 8 : 0) | UInt32(truncatingIfNeeded: index)
    }

    private var place: Int { Int(packed >> 4) }

    var hasWaited: Bool { packed & 8 != 0 }

    /// The class of the call, for the average latencies.
    private var operation: String {
        if let id = context?.operation?.id { return id }
        let index = Int(packed & 7)
        return index < Self.methods.count ? Self.methods[index].rawValue : ""
    }

    func end(_ outcome: AdmissionOutcome) {
        var isSent = true
        if case .notSent = outcome { isSent = false }
        bulkhead.leave(place, since: isSent ? begin : nil, sample(outcome))
    }

    /// The latency is the time to the head of the response.
    func responded(status: Int) -> (any AdmissionPermit)? {
        if let sample = sample(.response(status: status)) { bulkhead.record(sample, of: place) }
        return BulkheadBodyPermit(bulkhead: bulkhead, begin: begin, place: place)
    }

    private func sample(_ outcome: AdmissionOutcome) -> BulkheadStateMachine<BulkheadWaiter>.Sample? {
        guard case .adaptive = bulkhead.policy.perOrigin else { return nil }
        let duration = Duration.microseconds(Int64(bulkhead.ticks &- begin) * 10)
        switch outcome {
        case .notSent: return nil
        case .failed(let error):
            // Only timeouts that passed while the request was with the server.
            let isTimeout = error.code == .timeout && CircuitBreakerPolicy.verdict(of: outcome) == .failure
            return isTimeout ? .dropped(after: duration) : nil
        case .response(let status):
            switch status {
            case 503, 504: return .dropped(after: duration)
            // These are produced without the work of the operation.
            case 304, 401, 403, 407, 421, 429, 502: return nil
            default: return .response(after: duration, operation: operation)
            }
        }
    }
}

/// The permit of a streamed response whose body is being read.
private struct BulkheadBodyPermit: AdmissionPermit {
    let bulkhead: Bulkhead
    let begin: UInt32
    let place: Int

    func end(_ outcome: AdmissionOutcome) { bulkhead.leave(place, since: begin, nil) }
}
