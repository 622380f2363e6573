import Foundation
public import Testing

// Where a test runs, and why it costs more than others. `Tests/README.md` describes the tiers.

extension Tag {
    /// The code under test uses several threads or tasks at once. ThreadSanitizer runs these tests alone.
    @Tag public static var concurrent: Self
}

extension Trait where Self == ConditionTrait {
    /// The test judges by the machine's clock or needs minutes. `scripts/soak.sh` runs it; the gate does not.
    public static func realTime(_ reason: Comment) -> Self {
        .enabled(if: ProcessInfo.processInfo.environment["GATEWAY_TEST_REAL_TIME"] != nil, reason)
    }
}

/// A reason why a test is allowed more than others. `scripts/check-test-cost.sh` reads it.
public struct CostTrait: TestTrait, SuiteTrait {
    /// The reason.
    public let comments: [Comment]

    /// A suite's reason holds for its tests.
    public var isRecursive: Bool { true }
}

extension Trait where Self == CostTrait {
    /// The test needs more than 2 s of processor time.
    public static func long(_ reason: Comment) -> Self { CostTrait(comments: [reason]) }

    /// The test waits for more than 1 s, without using the processor.
    public static func waits(_ reason: Comment) -> Self { CostTrait(comments: [reason]) }
}
