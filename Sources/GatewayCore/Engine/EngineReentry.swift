import Synchronization

/// The engine that a call entered: the way back to it, for work that the call leaves behind, such as the revalidation of a
/// stored response; its calls in progress; and its shutdown, which refuses new calls and ends the waits of those in progress.
///
/// An engine makes one and puts it into the context of each call. It refers to the engine weakly, so that a context
/// that lives longer does not keep the engine.
@usableFromInline
package final class EngineReentry: AdmissionPermit {
    private struct State {
        weak var engine: (any RequestEngine & AnyObject)?
        var lastWait: UInt64 = 0
        var waits: [UInt64: @Sendable () -> Void] = [:]
    }

    private let calls: WorkCount
    /// The attempts that may outlive their call: those of hedged ones.
    package let attempts: WorkCount
    private let ended = Atomic(false)
    private let state = Locked(State())

    package init(clock: any GatewayClock = SystemClock()) {
        calls = WorkCount(clock: clock)
        attempts = WorkCount(clock: clock)
    }

    /// Sets the engine.
    package func attach(_ engine: any RequestEngine & AnyObject) { state.withLock { $0.engine = engine } }

    /// Makes a call through the whole engine in a separate task. The deadline and the cancellation of the parent call
    /// do not end it.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - context: a separate context; see ``RequestContext/background()``.
    /// - Returns: the task. It fails with ``NetworkError/closed`` if the engine is gone.
    package func start(
        _ request: HTTPRequest, context: RequestContext
    ) -> Task<HTTPResponse, any Error> {
        let engine = state.withLock { $0.engine }
        return Task.detached {
            guard let engine else {
                throw NetworkError(
                    .closed, "The engine ended before the background call began.", origin: request.origin)
            }
            return try await engine.send(request, context: context)
        }
    }

    // MARK: Calls in progress

    /// The number of calls in progress.
    package var callCount: Int { calls.value }

    /// Lets a call in; `false` if the engine shuts down.
    package func enter() -> Bool { calls.enter() }

    /// A call has ended.
    package func leave() { calls.leave() }

    /// The body of a call's response has ended.
    @usableFromInline
    package func end(_ outcome: AdmissionOutcome) { leave() }

    /// Refuses new calls, and returns when no call is in progress, or at a deadline. The cancellation of the task does not end
    /// the wait.
    package func close(until deadline: Deadline) async { await calls.close(until: deadline) }

    // MARK: Waits

    /// Whether the engine was shut down and makes no more attempts.
    package var isOver: Bool { ended.load(ordering: .acquiring) }

    /// Ends all waits, and those that begin later.
    package func endWaits() {
        let waits = state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { state.waits = [:] }
            return state.waits
        }
        for end in waits.values { end() }
    }

    /// Adds a wait.
    ///
    /// - Parameter end: ends the wait; called at most once, and immediately if the engine has ended.
    /// - Returns: what ``remove(_:)`` takes.
    func add(_ end: @escaping @Sendable () -> Void) -> UInt64 {
        let id = state.withLock { state -> UInt64? in
            if isOver { return nil }
            state.lastWait += 1
            state.waits[state.lastWait] = end
            return state.lastWait
        }
        if id == nil { end() }
        return id ?? 0
    }

    /// A wait is over.
    func remove(_ id: UInt64) { state.withLock { _ = $0.waits.removeValue(forKey: id) } }
}

extension RequestContext {
    /// The context of a background call for this one. It has the same operation, credential, clock and sink, but not
    /// the deadline, trace and cache mode. A call without a credential, such as one that was redirected to another origin,
    /// has none in the background either.
    ///
    /// It is called below authentication, which has set the credential.
    package func background() -> RequestContext {
        var context = Deadline.$inherited.withValue(nil) {
            RequestContext(
                options: CallOptions(priority: .low), operation: operation, credentials: credentials,
                clock: clock)
        }
        context.events = events
        context.isAnonymous = credentials == nil
        return context
    }
}
