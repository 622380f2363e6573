public import GatewayCore

/// What a ``FallbackChain`` returned, and which step it is from.
public struct FallbackResult<Value: Sendable>: Sendable {
    /// A step that failed.
    public struct Failure: Sendable {
        /// The name of the step.
        public let step: String
        /// Why it failed.
        public let error: any Error
    }

    /// The value.
    public let value: Value
    /// The name of the step that returned it.
    public let step: String
    /// The steps that failed before, in order.
    public let failures: [Failure]

    /// Whether the first step failed.
    public var isFallback: Bool { !failures.isEmpty }
}

extension FallbackResult: Redacted {
    /// The names of the steps; neither the value nor errors.
    public var description: String {
        failures.isEmpty
            ? "result of \(step)" : "result of \(step) after \(failures.map(\.step).joined(separator: ", "))"
    }
}

extension FallbackResult.Failure: Redacted {
    /// The name of the step.
    public var description: String { "failure of \(step)" }
}
