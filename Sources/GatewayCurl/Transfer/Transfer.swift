import GatewayCore

/// One exchange on its way through a loop.
@safe
final class Transfer: Sendable {
    /// What its caller gets.
    typealias Outcome = Result<HTTPResponse, NetworkError>
    /// Unchecked, because ``TransferStateMachine`` is what guarantees the one resume.
    typealias Waiter = UnsafeContinuation<Outcome, Never>

    /// What the loop knows of it.
    struct LoopPart {
        /// Its place among the loop's transfers; -1 where it has none.
        var index = -1
        /// Where it is and when its time is up.
        var timing: TransferTiming
        /// What it is carried by while it is on the wire.
        var handle: EasyHandle?
    }

    let request: HTTPRequest
    let upload: Upload
    /// The most bytes of content that are gathered.
    let bodyLimit: Int
    /// Where the content goes that is not gathered.
    let download: Download?
    /// Who wants to know where the time goes; `nil` for nobody.
    let observer: RequestContext?
    private let machine = unsafe Locked(TransferStateMachine<Waiter>())
    /// Touched by the loop's thread alone, from the moment it takes the transfer out of its inbox; the inbox's
    /// lock orders that after the initialisation.
    nonisolated(unsafe) var onLoop: LoopPart

    init(
        _ request: HTTPRequest, upload: Upload, bodyLimit: Int, download: Download? = nil,
        observer: RequestContext? = nil, timing: TransferTiming
    ) {
        self.request = request
        self.upload = upload
        self.bodyLimit = bodyLimit
        self.download = download
        self.observer = observer
        unsafe onLoop = LoopPart(timing: timing)
    }

    /// What a caller whose task is cancelled gets where nothing was sent.
    var cancelledUnsent: Outcome {
        .failure(
            NetworkError(.cancelled, "The task was cancelled.", origin: request.origin, phase: .queue))
    }

    /// The caller waits; hands the transfer over unless it is cancelled already.
    func wait(_ waiter: Waiter, inbox: Inbox) {
        let action = unsafe machine.withLock { unsafe $0.wait(waiter) }
        switch unsafe action {
        case .resumeCancelled(let waiter): unsafe waiter.resume(returning: cancelledUnsent)
        case .submit:
            guard !inbox.post(.submit(self)), let waiter = unsafe takeWaiter() else { return }
            unsafe waiter.resume(returning: .failure(Self.closed(request.origin)))
        }
    }

    /// The caller's task was cancelled.
    func cancel(inbox: Inbox) {
        let action = unsafe machine.withLock { unsafe $0.cancel() }
        switch unsafe action {
        case .none: break
        case .resumeCancelled(let waiter): unsafe waiter.resume(returning: cancelledUnsent)
        case .tellLoop: _ = inbox.post(.cancel(self))
        }
    }

    /// The loop takes it; `false` where it was cancelled on the way.
    func take() -> Bool {
        let action = unsafe machine.withLock { unsafe $0.take() }
        if case .accept = unsafe action { return true }
        return false
    }

    /// It is over: whom to resume, once no lock is held. `nil` where somebody was faster.
    func takeWaiter() -> Waiter? { unsafe machine.withLock { unsafe $0.finish() } }

    static func closed(_ origin: Origin) -> NetworkError {
        NetworkError(.closed, "The transport was closed.", origin: origin, phase: .queue)
    }
}
