import Testing

/// Runs each test of a suite twice: over a transport whose exchanges go on without their callers, and over one whose
/// exchanges the engine runs in tasks of their own.
struct InBothForms: SuiteTrait, TestTrait, TestScoping {
    /// Whether the exchanges of this run go on without their callers.
    @TaskLocal static var abandons = true

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for abandons in [true, false] {
            try await Self.$abandons.withValue(abandons) { try await function() }
        }
    }
}
