import GatewayCore

/// One exchange on its way through a loop.
@safe
final class Transfer: Sendable {
    /// What its caller gets.
    typealias Outcome = Result<ReceivedResponse, NetworkError>
    /// Unchecked, because ``TransferStateMachine`` is what guarantees the one resume.
    typealias Waiter = UnsafeContinuation<Void, Never>

    /// What the loop knows of it.
    struct LoopPart {
        /// Its place among the loop's transfers; -1 where it has none.
        var index = -1
        /// Where it is and when its time is up.
        var timing: TransferTiming
        /// What it is carried by while it is on the wire.
        var handle: EasyHandle?
        /// Empty, with room for what will come.
        var room: ResponseRoom
    }

    let request: HTTPRequest
    let upload: Upload
    /// The most bytes of content that are gathered.
    let bodyLimit: Int
    /// Where the content goes that is not gathered.
    let download: Download?
    /// Who wants to know where the time goes; `nil` for nobody.
    let observer: RequestContext?
    /// The time that the call was given, where it is known; only errors ask for it.
    let callLimit: Duration?
    /// The way to its loop.
    let inbox: Inbox
    private let machine = unsafe Locked(TransferStateMachine<Waiter>())
    /// Touched by who has the loop alone, from the moment it takes the transfer out of its inbox; the inbox's
    /// lock orders that after the initialisation.
    @exclusivity(unchecked)
    nonisolated(unsafe) var onLoop: LoopPart
    /// Written by whoever takes the waiter, before he resumes him; read by the waiter.
    @exclusivity(unchecked)
    nonisolated(unsafe) private var outcome: Outcome?

    init(
        _ request: HTTPRequest, upload: Upload, bodyLimit: Int, download: Download? = nil,
        observer: RequestContext? = nil, timing: TransferTiming, callLimit: Duration? = nil,
        room: ResponseRoom = ResponseRoom(), inbox: Inbox
    ) {
        self.request = request
        self.upload = upload
        self.bodyLimit = bodyLimit
        self.download = download
        self.observer = observer
        self.callLimit = callLimit
        self.inbox = inbox
        unsafe onLoop = LoopPart(timing: timing, room: room)
    }

    /// Waits until it is over.
    func ended() async {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { waiter in unsafe wait(waiter) }
        } onCancel: {
            cancel()
        }
        ThreadSanitizer.acquired(self)
    }

    /// What came of it, once it has ``ended()``.
    func takeOutcome() -> Outcome { unsafe outcome.take() ?? cancelledUnsent }

    /// Whether all that happens is one request and one response, both in memory.
    var isShort: Bool {
        if case .source = upload { return false }
        return download == nil
    }

    /// What a caller whose task is cancelled gets where nothing was sent.
    var cancelledUnsent: Outcome {
        .failure(
            NetworkError(
                .cancelled, "The task was cancelled before the request was sent.", origin: request.origin,
                phase: .queue))
    }

    /// The caller waits; hands the transfer over unless it is cancelled already.
    private func wait(_ waiter: Waiter) {
        let action = unsafe machine.withLock { unsafe $0.wait(waiter) }
        switch unsafe action {
        case .resumeCancelled(let waiter): unsafe resume(waiter, cancelledUnsent)
        case .submit: if !inbox.submit(self) { refuse() }
        }
    }

    /// The caller's task was cancelled.
    func cancel() {
        let action = unsafe machine.withLock { unsafe $0.cancel() }
        switch unsafe action {
        case .none: break
        case .resumeCancelled(let waiter): unsafe resume(waiter, cancelledUnsent)
        case .tellLoop: _ = inbox.post(.cancel(self))
        }
    }

    /// The loop takes it; `false` where it was cancelled on the way.
    func take() -> Bool {
        let action = unsafe machine.withLock { unsafe $0.take() }
        if case .accept = unsafe action { return true }
        return false
    }

    /// It is over: whom to resume, once no lock is held and nothing here is held any more. `nil` where somebody was
    /// faster.
    func end(_ outcome: Outcome) -> Waiter? {
        guard let waiter = unsafe machine.withLock({ unsafe $0.finish() }) else { return nil }
        unsafe self.outcome = outcome
        // A continuation that is resumed before its task has suspended hands over unseen by the sanitizer.
        ThreadSanitizer.released(self)
        return unsafe waiter
    }

    /// The loop was closed before it saw it, or did not start for this reason.
    func refuse(_ cause: NetworkError? = nil) {
        let error =
            cause.map { NetworkError($0.code, $0.message, origin: request.origin, phase: .queue) }
            ?? Self.closed(request.origin)
        guard let waiter = unsafe end(.failure(error)) else { return }
        unsafe waiter.resume()
    }

    private func resume(_ waiter: Waiter, _ outcome: Outcome) {
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
