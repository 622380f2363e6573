import GatewayCore

/// Which items of a batch start, and which results are delivered.
struct BatchState<Value: Sendable> {
    /// What to do next.
    enum Step {
        /// Start the operation of an item; items start in their order.
        case start(Int)
        /// Deliver a result.
        case deliver(Int, Result<Value, any Error>)
    }

    private let concurrency: Int
    private let isOrdered: Bool
    private let count: Int
    private var started = 0
    private var running = 0
    private var delivered = 0
    /// The results that are not delivered yet.
    private var waiting: [Int: Result<Value, any Error>] = [:]
    /// The completed items, if results are delivered in the order of completion.
    private var completed: [Int] = []
    private var reason: NetworkError.Code?

    init(concurrency: Int, isOrdered: Bool, count: Int) {
        self.concurrency = concurrency
        self.isOrdered = isOrdered
        self.count = count
    }

    /// Whether each item has its result.
    var isDone: Bool { delivered == count }

    /// Whether no more operations start.
    var isStopped: Bool { reason != nil }

    /// Ends the batch early. Only the first reason is kept.
    mutating func stop(_ code: NetworkError.Code) { if reason == nil { reason = code } }

    mutating func ended(_ index: Int, _ result: Result<Value, any Error>) {
        running -= 1
        var result = result
        if case .failure(let error) = result, reason == .timeout, Self.isCancellation(error) {
            result = .failure(Self.error(.timeout))
        }
        waiting[index] = result
        if !isOrdered { completed.append(index) }
    }

    mutating func next() -> Step? {
        if let step = nextDelivery() { return step }
        guard started < count else { return nil }
        if let reason {
            // Wait for the operations in progress, so that both ways of delivery use the same order.
            guard running == 0 else { return nil }
            defer {
                started += 1
                delivered += 1
            }
            return .deliver(started, .failure(Self.error(reason)))
        }
        guard running < concurrency, started - delivered < 2 * concurrency else { return nil }
        defer {
            started += 1
            running += 1
        }
        return .start(started)
    }

    private mutating func nextDelivery() -> Step? {
        let index: Int
        if isOrdered {
            index = delivered
        } else {
            guard !completed.isEmpty else { return nil }
            index = completed.removeFirst()
        }
        guard let result = waiting.removeValue(forKey: index) else { return nil }
        delivered += 1
        return .deliver(index, result)
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? any GatewayCallError)?.code == .cancelled
    }

    private static func error(_ code: NetworkError.Code) -> NetworkError {
        code == .timeout
            ? NetworkError(.timeout, "The deadline of the batch has passed.", phase: .call)
            : NetworkError(.cancelled, "The batch was cancelled.")
    }
}
