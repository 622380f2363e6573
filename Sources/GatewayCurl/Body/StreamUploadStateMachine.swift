import GatewayCore

/// The buffer between the producer of a request body, which waits, and the loop, which does not. Pure: events in, actions
/// out.
///
/// The producer starts at the first read of the loop: a request without a connection does not touch its stream. It waits
/// while a window of bytes is buffered.
struct StreamUploadStateMachine<Waiter> {
    private enum Demand {
        /// The loop has not asked; the producer may wait for it.
        case none(Waiter?)
        /// The loop has asked.
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

    /// Makes one.
    ///
    /// - Parameters:
    ///   - length: how many bytes the body must have; `nil` for any number.
    ///   - highWater: the producer rests from so many bytes waiting.
    ///   - lowWater: it goes on from so few.
    init(length: Int64?, highWater: Int = 256 << 10, lowWater: Int = 64 << 10) {
        self.length = length
        self.highWater = highWater
        self.lowWater = lowWater
    }

    /// What the producer does next.
    enum ProducerAction {
        /// Go on.
        case proceed
        /// The transfer is over.
        case stop
        /// Wait to be resumed.
        case suspended
    }

    /// The producer waits for the loop to ask.
    mutating func awaitDemand(_ waiter: Waiter) -> ProducerAction {
        if isClosed { return .stop }
        if case .asked = demand { return .proceed }
        demand = .none(waiter)
        return .suspended
    }

    /// The producer brings a chunk. Tells whether the loop must be woken.
    mutating func produce(_ chunk: HTTPBody.Chunk) -> (wakesLoop: Bool, tooLong: Bool) {
        guard !isClosed, !chunk.isEmpty else { return (false, false) }
        produced += Int64(chunk.count)
        if let length, produced > length { return (false, true) }
        chunks.append(chunk)
        buffered += chunk.count
        return (takeLoopPause(), false)
    }

    /// The producer asks whether to go on.
    mutating func awaitRoom(_ waiter: Waiter) -> ProducerAction {
        if isClosed { return .stop }
        guard buffered >= highWater else { return .proceed }
        resting = waiter
        return .suspended
    }

    /// The producer is done, or cannot go on. Tells whether the loop must be woken.
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

    /// What the loop's read gives.
    enum ReadAction {
        case copy(HTTPBody.Chunk)
        case pause
        case end
        case fail(NetworkError)
    }

    /// The loop wants at most so many bytes. A producer that waits comes back to be resumed.
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

    /// The transfer is over. Gives back a producer that waits.
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
