import GatewayCore

/// The state of a ticket, and its waiting callers.
final class TicketState: Sendable {
    private typealias Waiter = CheckedContinuation<Result<QueueOutcome, QueueError>, Never>

    private struct State {
        var result: Result<QueueOutcome, QueueError>?
        var waiters: [UInt64: Waiter] = [:]
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
    }

    let id: QueueEntry.ID
    private let state = Locked(State())
    private let forget: @Sendable () -> Void

    /// - Parameter forget: called when the last ticket is released.
    init(_ id: QueueEntry.ID, forget: @escaping @Sendable () -> Void) {
        self.id = id
        self.forget = forget
    }

    deinit { forget() }

    /// The outcome, if known.
    var outcome: QueueOutcome? { state.withLock { try? $0.result?.get() } }

    /// Why the outcome cannot be determined; `nil` if it can.
    var failure: QueueError? {
        state.withLock { state in
            guard case .failure(let error)? = state.result else { return nil }
            return error
        }
    }

    /// Ends the wait. The first outcome is kept; an error is replaced by a later result.
    func settle(_ result: Result<QueueOutcome, QueueError>) {
        let waiters = state.withLock { state -> [Waiter] in
            if case .success = state.result { return [] }
            state.result = result
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    /// The entry is active again after a retry.
    func reopen() { state.withLock { $0.result = nil } }

    func wait() async throws(QueueError) -> QueueOutcome {
        let id = state.withLock { state in
            state.nextID &+= 1
            return state.nextID
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                let known = state.withLock { state -> Result<QueueOutcome, QueueError>? in
                    if state.cancelled.remove(id) != nil { return .failure(Self.cancelled) }
                    if let result = state.result { return result }
                    state.waiters[id] = waiter
                    return nil
                }
                if let known { waiter.resume(returning: known) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume(returning: .failure(Self.cancelled))
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        return try result.get()
    }

    private static let cancelled = QueueError(
        .cancelled, "The wait for the outcome was cancelled. The entry remains in the queue.")
}
