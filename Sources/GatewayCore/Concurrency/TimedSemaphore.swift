private import GatewayLibC

/// Lets one thread wait until another thread signals, or until a time limit. A signal without a waiting thread is kept;
/// several count as one. It uses the monotonic clock.
@safe package final class TimedSemaphore: @unchecked Sendable {
    // Allocated separately, because pthread objects must not be moved. `isSignalled` is protected by the mutex.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var isSignalled = false

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    package func signal() {
        unsafe pthread_mutex_lock(mutex)
        isSignalled = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Blocks the thread until a signal.
    ///
    /// - Parameter limit: the maximum time to wait; `nil` for no limit.
    package func wait(atMost limit: Duration?) {
        unsafe pthread_mutex_lock(mutex)
        if let limit {
            var end = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &end)
            // Clamped to a day, to avoid overflow.
            let (seconds, attoseconds) = min(max(limit, .zero), .seconds(86_400)).components
            let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000)
            end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
            end.tv_nsec = nanoseconds % 1_000_000_000
            while !isSignalled, unsafe pthread_cond_timedwait(condition, mutex, &end) == 0 {}
        } else {
            while !isSignalled { unsafe pthread_cond_wait(condition, mutex) }
        }
        isSignalled = false
        unsafe pthread_mutex_unlock(mutex)
    }
}
