import GatewayCore

/// One exchange in a loop.
@safe
final class Transfer: Sendable {
    /// The result for the caller.
    typealias Outcome = Result<ReceivedResponse, NetworkError>
    /// An unsafe continuation, because ``TransferStateMachine`` guarantees exactly one resume.
    typealias Waiter = UnsafeContinuation<Void, Never>

    /// Memory for a response, allocated by the caller on its thread and filled on the loop's thread.
    ///
    /// Why: memory that one thread allocates and another one frees needs locks of the allocator. With one such array per
    /// request, the loop and the callers' threads waited for each other in each request.
    typealias Room = (fields: HTTPFields, body: [UInt8])

    /// The state that is owned by the loop.
    struct LoopPart {
        /// The index among the loop's transfers; -1 if it has none.
        var index = -1
        /// The stage and the time limits.
        var timing: TransferTiming
        /// The easy handle, while the transfer is active.
        var handle: EasyHandle?
        /// Memory for the response.
        var room: Room
        /// The slot that the exchange has without its caller; `nil` if it has none.
        var slot: Int?
    }

    let request: HTTPRequest
    let upload: Upload
    /// The maximum number of collected content bytes.
    let bodyLimit: Int
    /// The destination of streamed content; `nil` if it is collected.
    let download: Download?
    /// The context of the call.
    let context: RequestContext
    /// The inbox of its loop.
    let inbox: Inbox
    private let machine = unsafe Locked(TransferStateMachine<Waiter>())
    /// Accessed only by the loop's thread, after it has taken the transfer out of its inbox. The inbox's lock
    /// orders this after the initialisation.
    @exclusivity(unchecked)
    nonisolated(unsafe) var onLoop: LoopPart
    /// Written by the thread that resumes the waiter, before it does so; read by the waiter.
    @exclusivity(unchecked)
    nonisolated(unsafe) private var outcome: Outcome?

    init(
        _ request: HTTPRequest, upload: Upload, bodyLimit: Int, download: Download? = nil,
        context: RequestContext, timing: TransferTiming, room: Room, inbox: Inbox
    ) {
        self.request = request
        self.upload = upload
        self.bodyLimit = bodyLimit
        self.download = download
        self.context = context
        self.inbox = inbox
        unsafe onLoop = LoopPart(timing: timing, room: room)
    }

    /// Waits until the transfer has ended.
    func ended() async {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { waiter in unsafe wait(waiter) }
        } onCancel: {
            cancel()
        }
        ThreadSanitizer.acquired(self)
    }

    /// The result, after ``ended()``.
    func takeOutcome() -> Outcome { unsafe outcome.take() ?? cancelledUnsent }

    /// The result of a transfer that was cancelled before anything was sent.
    var cancelledUnsent: Outcome {
        .failure(
            NetworkError(
                .cancelled, "The task was cancelled before the request was sent.", origin: request.origin,
                phase: .queue))
    }

    /// Registers the waiter and submits the transfer, unless it is already cancelled.
    private func wait(_ waiter: Waiter) {
        let action = unsafe machine.withLock { unsafe $0.wait(waiter) }
        switch unsafe action {
        case .resumeCancelled(let waiter): unsafe resume(waiter, cancelledUnsent)
        case .submit:
            if !inbox.post(.submit(self)) { refuse() }
        }
    }

    /// Cancels the transfer.
    func cancel() {
        let action = unsafe machine.withLock { unsafe $0.cancel() }
        switch unsafe action {
        case .none: break
        case .resumeCancelled(let waiter): unsafe resume(waiter, cancelledUnsent)
        case .tellLoop: _ = inbox.post(.cancel(self))
        }
    }

    /// Called when the loop takes the transfer; `false` if it was cancelled before.
    func take() -> Bool { unsafe machine.withLock { unsafe $0.take() } }

    /// Ends the transfer. Returns the waiter, which must be resumed without holding a lock; `nil` if it has already
    /// been resumed.
    func end(_ outcome: consuming Outcome) -> Waiter? {
        guard let waiter = unsafe machine.withLock({ unsafe $0.finish() }) else { return nil }
        unsafe self.outcome = outcome
        // The value of a continuation that is resumed before its task has suspended is passed in a way that
        // ThreadSanitizer does not see.
        ThreadSanitizer.released(self)
        return unsafe waiter
    }

    /// Ends a transfer that the loop has not taken, because the loop was closed or could not start.
    func refuse(_ cause: NetworkError? = nil) {
        let error =
            cause.map { NetworkError($0.code, $0.message, origin: request.origin, phase: .queue) }
            ?? Self.closed(request.origin)
        guard let waiter = unsafe end(.failure(error)) else { return }
        unsafe waiter.resume()
    }

    private func resume(_ waiter: Waiter, _ outcome: consuming Outcome) {
        unsafe self.outcome = outcome
        ThreadSanitizer.released(self)
        unsafe waiter.resume()
    }

    static func closed(_ origin: Origin) -> NetworkError {
        NetworkError(
            .closed, "The transport was shut down before the request was sent.", origin: origin, phase: .queue
        )
    }
}
