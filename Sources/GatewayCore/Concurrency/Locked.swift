package import Synchronization

/// State behind a mutex.
///
/// It is `Mutex` and nothing more, but for builds with `-D THREAD_SANITIZER`: the mutex of the toolchain takes its
/// contended path inside a library that ThreadSanitizer does not see into, so that every contended access would be
/// reported as a race. There the wrapper tells the sanitizer what the mutex does.
package struct Locked<State>: ~Copyable {
    @usableFromInline
    package let mutex: Mutex<State>
    #if THREAD_SANITIZER
        /// An address that the sanitizer knows the mutex by.
        package final class Token: Sendable { package init() {} }
        package let token = Token()
    #endif

    /// Puts a state behind a mutex.
    @inlinable
    package init(_ state: sending State) { mutex = Mutex(state) }
}

extension Locked: Sendable {}

#if THREAD_SANITIZER
    extension Locked {
        /// Runs the body alone. It must not wait, call out, or resume a continuation.
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(token).toOpaque())
            return try mutex.withLock { (state: inout sending State) throws(Failure) -> sending Result in
                unsafe ThreadSanitizer.acquire(address)
                defer { unsafe ThreadSanitizer.release(address) }
                return try body(&state)
            }
        }
    }
#else
    extension Locked {
        /// Runs the body alone. It must not wait, call out, or resume a continuation.
        @inlinable
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
