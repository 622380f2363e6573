import GatewayCore

/// An operation of a conformance suite that may be endless.
final class Trial<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var watchers: [UInt64: CheckedContinuation<Result<Value, any Error>?, Never>] = [:]
        var lastWatcher: UInt64 = 0
    }

    private let state = Locked(State())
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Starts the operation.
    ///
    /// - Parameter isCancelled: whether the task is cancelled before it starts.
    init(isCancelled: Bool = false, _ body: @escaping @Sendable () async throws -> Value) {
        let work = Task.detached { [self] in
            if isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            let watchers = state.withLock { state in
                state.result = result
                defer { state.watchers = [:] }
                return state.watchers
            }
            for watcher in watchers.values { watcher.resume(returning: result) }
        }
        task.withLock { $0 = work }
    }

    func cancel() { task.withLock { $0 }?.cancel() }

    /// The result; `nil` if the operation did not end in time. Then it is cancelled and abandoned.
    func result(within patience: Duration, clock: any GatewayClock) async -> Result<Value, any Error>? {
        let id = state.withLock { state in
            state.lastWatcher += 1
            return state.lastWatcher
        }
        let limit = clock.alarm(at: clock.now.adding(patience)) { [self] in
            state.withLock { $0.watchers.removeValue(forKey: id) }?.resume(returning: nil)
        }
        let result = await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.watchers[id] = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
        limit.cancel()
        if result == nil { cancel() }
        return result
    }
}
