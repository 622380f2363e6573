import GatewayCore

/// A response body that is passed from the loop to its reader.
@safe
final class Download: Sendable {
    typealias Delivery = DownloadDelivery
    /// An unsafe continuation, because ``DownloadStateMachine`` guarantees exactly one resume.
    typealias Waiter = UnsafeContinuation<Result<HTTPBody.Chunk?, NetworkError>, Never>

    /// 256 KiB, enough for 100 Mbit/s with a round-trip time of 20 ms. A thousand stalled readers hold at most 256 MB,
    /// and the same amount in their last chunks. Over HTTP/2 libcurl additionally buffers up to its own window (32 MiB
    /// in 7.88), because a stalled stream must not block the other streams of its connection.
    static let windowBytes = 256 << 10

    private let origin: Origin
    private let machine = unsafe Locked(DownloadStateMachine<Waiter>(window: windowBytes))
    /// The task that produces the request body. It may continue after the response header was received.
    private let producer = Locked<(task: Task<Void, Never>?, isEnded: Bool)>((nil, false))

    init(origin: Origin) { self.origin = origin }

    // MARK: For the loop

    func receive(_ piece: UnsafeRawBufferPointer) -> DownloadReception {
        // Passed as a number, because a pointer cannot be captured there. The bytes are copied under the lock.
        let (address, count) = (UInt(bitPattern: piece.baseAddress), piece.count)
        return unsafe machine.withLock { machine in
            unsafe machine.receive(
                UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
        }
    }

    /// Ends the body. Returns whether a reader is waiting.
    func end(_ error: NetworkError?) -> Bool {
        let task = producer.withLock { producer in
            producer.isEnded = true
            return producer.task
        }
        task?.cancel()
        return unsafe machine.withLock { unsafe $0.end(error) }
    }

    /// Resumes a waiting reader. Returns whether a paused transfer can continue.
    func deliver() -> Bool {
        guard let (waiter, delivery, unpauses) = unsafe machine.withLock({ unsafe $0.deliver() }) else {
            return false
        }
        ThreadSanitizer.released(self)
        unsafe waiter.resume(returning: Self.result(delivery))
        return unpauses
    }

    // MARK: For the caller

    /// Sets the task that produces the request body, which is cancelled when the exchange ends.
    func accompany(_ task: Task<Void, Never>) {
        let isEnded = producer.withLock { producer in
            producer.task = task
            return producer.isEnded
        }
        if isEnded { task.cancel() }
    }

    /// The next chunk; `nil` at the end.
    ///
    /// - Parameters:
    ///   - unpause: tells the loop that there is space in the buffer.
    ///   - abandon: tells the loop that the body will not be read any further.
    func next(
        unpause: @Sendable () -> Void, abandon: @Sendable () -> Void
    ) async -> Result<HTTPBody.Chunk?, NetworkError> {
        let result = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { waiter in
                switch unsafe machine.withLock({ unsafe $0.next(waiter) }) {
                case .wait: break
                case .deliver(let delivery, let unpauses):
                    if unpauses { unpause() }
                    ThreadSanitizer.released(self)
                    unsafe waiter.resume(returning: Self.result(delivery))
                case .cancelled: unsafe waiter.resume(returning: .failure(cancelled))
                case .busy:
                    unsafe waiter.resume(
                        returning: .failure(
                            NetworkError(
                                .invalidRequest,
                                "The response stream is already being read: read it from one task at a time.",
                                origin: origin, attempts: 1, mayHaveBeenSent: true)))
                }
            }
        } onCancel: {
            giveUp(abandon)
        }
        ThreadSanitizer.acquired(self)
        return result
    }

    /// Stops reading.
    func giveUp(_ abandon: @Sendable () -> Void) {
        let (waiter, tellsLoop) = unsafe machine.withLock { unsafe $0.giveUp() }
        if tellsLoop { abandon() }
        ThreadSanitizer.released(self)
        unsafe waiter?.resume(returning: .failure(cancelled))
    }

    private var cancelled: NetworkError {
        NetworkError(
            .cancelled, "The task was cancelled while the response was read.", origin: origin,
            phase: .receive, attempts: 1, mayHaveBeenSent: true)
    }

    private static func result(_ delivery: Delivery) -> Result<HTTPBody.Chunk?, NetworkError> {
        switch delivery {
        case .bytes(let bytes): .success(bytes[...])
        case .end: .success(nil)
        case .failure(let error): .failure(error)
        }
    }
}
