/// Limits on real time in the project's own tests.
package enum RealTime {
    /// Whether a test may judge by the time that something took: under ThreadSanitizer a limit says nothing of the code.
    package static var isJudged: Bool { !Sanitizer.isThreads }

    /// A limit that the machine alone does not reach: as it is given, twenty times that under ThreadSanitizer.
    package static func limit(_ duration: Duration) -> Duration { isJudged ? duration : duration * 20 }
}
