/// What ThreadSanitizer cannot see by itself, because it happens in libraries that are not instrumented. Without
/// `-D THREAD_SANITIZER` nothing of it is compiled.
package enum ThreadSanitizer {
    /// All that happened before on this thread happened before what follows an ``acquired(_:)`` of the same object.
    @inlinable
    package static func released(_ object: AnyObject) {
        #if THREAD_SANITIZER
            unsafe release(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        #endif
    }

    /// The other side of ``released(_:)``.
    @inlinable
    package static func acquired(_ object: AnyObject) {
        #if THREAD_SANITIZER
            unsafe acquire(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        #endif
    }

    #if THREAD_SANITIZER
        @usableFromInline
        @_silgen_name("__tsan_acquire") static func acquire(_ address: UnsafeRawPointer)
        @usableFromInline
        @_silgen_name("__tsan_release") static func release(_ address: UnsafeRawPointer)
    #endif
}
