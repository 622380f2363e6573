public import GatewayCore

/// The value of a ``FallbackChain``, and the step that returned it.
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
    /// The names of the steps, without the value and errors.
    public var description: String {
        failures.isEmpty
            ? "result of \(step)" : "result of \(step) after \(failures.map(\.step).joined(separator: ", "))"
    }
}

extension FallbackResult.Failure: Redacted {
    /// The name of the step.
    public var description: String { "failure of \(step)" }
}
