public import Synchronization

/// State behind a mutex.
///
/// It is `Mutex` and nothing more, but for builds with `-D THREAD_SANITIZER`: the mutex of the toolchain takes its
/// contended path inside a library that ThreadSanitizer does not see into, so that every contended access would be
/// reported as a race. There the wrapper tells the sanitizer what the mutex does.
///
/// It is public because only then the compiler puts it in line in other rooms; as `package` each use was a call that
/// looked types up at run time.
public struct Locked<State>: ~Copyable {
    @usableFromInline
    let mutex: Mutex<State>
    #if THREAD_SANITIZER
        /// An address that the sanitizer knows the mutex by.
        @usableFromInline
        final class Token: Sendable { @usableFromInline init() {} }
        @usableFromInline
        let token = Token()
    #endif

    /// Puts a state behind a mutex.
    @inlinable
    public init(_ state: sending State) { mutex = Mutex(state) }
}

extension Locked: Sendable {}

#if THREAD_SANITIZER
    extension Locked {
        /// Runs the body alone. It must not wait, call out, or resume a continuation.
        public borrowing func withLock<Result, Failure: Error>(
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
        @inline(__always)
        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
