/// Tells ThreadSanitizer about synchronization in libraries without instrumentation. Does nothing without `-D
/// THREAD_SANITIZER`.
package enum ThreadSanitizer {
    /// Everything before this call on this thread happens before the code after a later ``acquired(_:)`` of the same
    /// object.
    @inlinable
    package static func released(_ object: AnyObject) {
        #if THREAD_SANITIZER
            unsafe release(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        #endif
    }

    /// See ``released(_:)``.
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
