import GatewayCore

/// The buffer between the producer of a request body, which suspends, and the loop, which does not. A pure state
/// machine.
///
/// The producer starts at the first read of the loop, so a request without a connection does not use its stream. The
/// producer waits while the buffer is full.
struct StreamUploadStateMachine<Waiter> {
    private enum Demand {
        /// The loop has not requested the body. The producer may be waiting for that.
        case none(Waiter?)
        /// The loop has requested the body.
        case asked
    }

    private let length: Int64?
    private let highWater: Int
    private let lowWater: Int
    private var demand = Demand.none(nil)
    private var chunks: [HTTPBody.Chunk] = []
    private var firstChunk = 0
    private var buffered = 0
    private var produced: Int64 = 0
    private var resting: Waiter?
    private var isLoopPaused = false
    private var isEnded = false
    private var failure: NetworkError?
    private var isClosed = false

    /// Creates a buffer.
    ///
    /// - Parameters:
    ///   - length: the required number of bytes of the body; `nil` for any number.
    ///   - highWater: the number of buffered bytes at which the producer waits.
    ///   - lowWater: the number of buffered bytes at which the producer continues.
    init(length: Int64?, highWater: Int = 256 << 10, lowWater: Int = 64 << 10) {
        self.length = length
        self.highWater = highWater
        self.lowWater = lowWater
    }

    /// The next action of the producer.
    enum ProducerAction {
        /// Continue.
        case proceed
        /// End, because the transfer has ended.
        case stop
        /// Wait until resumed.
        case suspended
    }

    /// Called when the producer waits for the first request of the loop.
    mutating func awaitDemand(_ waiter: Waiter) -> ProducerAction {
        if isClosed { return .stop }
        if case .asked = demand { return .proceed }
        demand = .none(waiter)
        return .suspended
    }

    /// Adds a chunk of the producer. Returns whether the loop must be woken, and whether the body is longer than
    /// announced.
    mutating func produce(_ chunk: HTTPBody.Chunk) -> (wakesLoop: Bool, tooLong: Bool) {
        guard !isClosed, !chunk.isEmpty else { return (false, false) }
        produced += Int64(chunk.count)
        if let length, produced > length { return (false, true) }
        chunks.append(chunk)
        buffered += chunk.count
        return (takeLoopPause(), false)
    }

    /// Called when the producer waits for space in the buffer.
    mutating func awaitRoom(_ waiter: Waiter) -> ProducerAction {
        if isClosed { return .stop }
        guard buffered >= highWater else { return .proceed }
        resting = waiter
        return .suspended
    }

    /// Called when the producer has ended or failed. Returns whether the loop must be woken.
    mutating func end(_ error: NetworkError?) -> Bool {
        guard !isEnded, !isClosed else { return false }
        isEnded = true
        failure = error
        if failure == nil, let length, produced < length {
            failure = NetworkError(
                .bodyFailed, "The stream of the request body ended before its announced length.")
        }
        return takeLoopPause()
    }

    /// The result of a read of the loop.
    enum ReadAction {
        case copy(HTTPBody.Chunk)
        case pause
        case end
        case fail(NetworkError)
    }

    /// Reads at most `count` bytes for the loop. Returns a waiting producer to resume.
    mutating func read(atMost count: Int) -> (ReadAction, resume: Waiter?) {
        var waiter: Waiter?
        if case .none(let waiting) = demand {
            waiter = waiting
            demand = .asked
        }
        if let failure { return (.fail(failure), waiter) }
        guard firstChunk < chunks.count else {
            if isEnded { return (.end, waiter) }
            isLoopPaused = true
            return (.pause, waiter)
        }
        let chunk = chunks[firstChunk]
        let part = chunk.prefix(count)
        buffered -= part.count
        if part.count == chunk.count {
            firstChunk += 1
            if firstChunk == chunks.count {
                chunks.removeAll(keepingCapacity: true)
                firstChunk = 0
            }
        } else {
            chunks[firstChunk] = chunk.dropFirst(part.count)
        }
        if buffered <= lowWater, let rested = resting {
            resting = nil
            waiter = rested
        }
        return (.copy(part), waiter)
    }

    /// Ends the transfer. Returns a waiting producer to resume.
    mutating func close() -> Waiter? {
        isClosed = true
        chunks = []
        firstChunk = 0
        buffered = 0
        isLoopPaused = false
        if case .none(let waiter?) = demand {
            demand = .asked
            return waiter
        }
        defer { resting = nil }
        return resting
    }

    private mutating func takeLoopPause() -> Bool {
        defer { isLoopPaused = false }
        return isLoopPaused
    }
}
