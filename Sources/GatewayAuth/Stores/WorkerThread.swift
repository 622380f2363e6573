package import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A thread of one's own for calls that block, so that no thread of Swift's pool does. Work is done one by one, in
/// order.
package final class WorkerThread: Sendable {
    private let queue = WorkQueue()

    /// Makes one. The thread begins with the first work and ends after the last reference.
    package init() {}

    deinit { queue.finish() }

    /// Runs something on the thread, to its end even when the caller's task is cancelled.
    ///
    /// - Throws: `tokenStoreFailed` where the system gives no thread.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(NetworkError) -> Result
    ) async throws(NetworkError) -> Result {
        let answer = await withCheckedContinuation {
            (continuation: CheckedContinuation<Swift.Result<Result, NetworkError>, Never>) in
            let isTaken = queue.add {
                let answer = Swift.Result<Result, NetworkError> { () throws(NetworkError) in try body() }
                continuation.resume(returning: answer)
            }
            if !isTaken {
                continuation.resume(returning: .failure(.storeFailed("The system gives no further thread.")))
            }
        }
        return try answer.get()
    }

    /// Runs something on the thread some time, without waiting for it.
    package func post(_ body: @escaping @Sendable () -> Void) { _ = queue.add(body) }
}

/// What a thread is to do, and the thread.
private final class WorkQueue: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isRunning = false
        var isFinished = false
    }

    /// The semaphore has a place of its own, and is never moved.
    @safe private struct Semaphore: @unchecked Sendable {
        let address: UnsafeMutablePointer<sem_t>
    }

    private let state = Locked(State())
    private let semaphore: Semaphore

    init() {
        semaphore = unsafe Semaphore(address: .allocate(capacity: 1))
        unsafe sem_init(semaphore.address, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore.address)
        unsafe semaphore.address.deallocate()
    }

    func add(_ body: @escaping @Sendable () -> Void) -> Bool {
        let mustStart = state.withLock { state in
            state.work.append(body)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart, !start() {
            state.withLock { state in
                state.isRunning = false
                state.work = []
            }
            return false
        }
        unsafe sem_post(semaphore.address)
        return true
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        unsafe sem_post(semaphore.address)
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let queue = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, queue.toOpaque())
        guard code == 0 else {
            unsafe queue.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func work() {
        // No signal of the process is handled here, and writing into a closed connection is an error, no signal.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            unsafe sigdelset(&signals, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            while unsafe sem_wait(semaphore.address) != 0 {}
            let (next, isOver) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
                if state.work.isEmpty { return (nil, state.isFinished) }
                return (state.work.removeFirst(), false)
            }
            next?()
            if isOver { return }
        }
    }
}
