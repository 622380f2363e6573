public import Synchronization

/// A value that is protected by a mutex.
///
/// It only wraps `Mutex`, except in builds with `-D THREAD_SANITIZER`. Why: the contended path of the toolchain's mutex
/// is in a library without instrumentation, so ThreadSanitizer would report each contended access as a race. The
/// wrapper tells the sanitizer about lock and unlock.
///
/// It is public because otherwise other modules cannot inline it: as `package`, each use was a call with type lookups
/// at run time.
public struct Locked<State>: ~Copyable {
    @usableFromInline
    let mutex: Mutex<State>
    #if THREAD_SANITIZER
        /// The object whose address identifies the mutex to the sanitizer.
        @usableFromInline
        final class Token: Sendable { @usableFromInline init() {} }
        @usableFromInline
        let token = Token()
    #endif

    /// Protects a value with a mutex.
    @inlinable
    public init(_ state: sending State) { mutex = Mutex(state) }
}

extension Locked: Sendable {}

#if THREAD_SANITIZER
    extension Locked {
        /// Runs the body while holding the lock. The body must not block, call unknown code, or resume a continuation.
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
        /// Runs the body while holding the lock. The body must not block, call unknown code, or resume a continuation.
        @inlinable
        @inline(__always)
        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
