/// The sanitizers that the tests were built with.
package enum Sanitizer {
    /// Whether ThreadSanitizer is enabled. It makes code up to 20 times slower and finds nothing in single-threaded
    /// tests.
    package static var isThreads: Bool {
        #if THREAD_SANITIZER
            true
        #else
            false
        #endif
    }
}
