import GatewayCore

/// A response body that is passed from the loop to its reader.
@safe
final class Download: Sendable {
    typealias Delivery = DownloadDelivery
    /// Unchecked, because ``DownloadStateMachine`` is what guarantees the one resume.
    typealias Waiter = UnsafeContinuation<Result<HTTPBody.Chunk?, NetworkError>, Never>

    /// 256 KiB, enough for 100 Mbit/s with a round trip of 20 ms. A thousand stalled readers hold at most 256 MB, and as
    /// much again in the parts that they received last. Over HTTP/2 libcurl holds what comes after that, up to a window of its
    /// own (32 MiB in 7.88): a stream whose reader waits must not stop the others of its connection.
    static let windowBytes = 256 << 10

    private let origin: Origin
    private let machine = unsafe Locked(DownloadStateMachine<Waiter>(window: windowBytes))
    /// The task that produces the request body, which may go on after the response head.
    private let producer = Locked<(task: Task<Void, Never>?, isEnded: Bool)>((nil, false))

    init(origin: Origin) { self.origin = origin }

    // MARK: For the loop

    func receive(_ piece: UnsafeRawBufferPointer) -> DownloadReception {
        // As a number, because a pointer may not go under the lock; its bytes are copied there.
        let (address, count) = (UInt(bitPattern: piece.baseAddress), piece.count)
        return unsafe machine.withLock { machine in
            unsafe machine.receive(
                UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
        }
    }

    /// Ends the body. Returns whether a reader waits for it.
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

    /// The next part; `nil` at the end.
    ///
    /// - Parameters:
    ///   - unpause: tells the loop that there is room.
    ///   - abandon: tells the loop that the body is not read any more.
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

    /// Ends reading.
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
