/// How the tests were built.
package enum Sanitizer {
    /// Whether ThreadSanitizer watches. Code takes up to twenty times as long then, and tests of one thread find nothing more.
    package static var isThreads: Bool {
        #if THREAD_SANITIZER
            true
        #else
            false
        #endif
    }
}
