/// Real-time limits in the project's own tests.
package enum RealTime {
    /// Whether a test may measure durations. Under ThreadSanitizer durations say nothing about the code.
    package static var isJudged: Bool { !Sanitizer.isThreads }

    /// A limit for slow machines: the given duration, multiplied by 20 under ThreadSanitizer.
    package static func limit(_ duration: Duration) -> Duration { isJudged ? duration : duration * 20 }
}
