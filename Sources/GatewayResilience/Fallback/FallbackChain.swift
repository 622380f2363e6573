public import GatewayCore

/// Tries operations in order until one returns a value.
///
/// ```swift
/// let prices = try await FallbackChain("live") { try await client.prices.list() }
///     .fallback("stored") { try await stored.prices() }
///     .fallback("none", when: .any) { [] }
///     .execute()
/// print(prices.value, "from", prices.step)
/// ```
/// A step runs after the final outcome of the one before, which includes all of its retries and the refresh
/// of its token. A cancelled call is final: no later step runs.
public struct FallbackChain<Value: Sendable>: Sendable {
    private struct Step: Sendable {
        let name: String
        let condition: FallbackCondition
        let operation: @Sendable (any Error) async throws -> Value
    }

    private let name: String
    private let operation: @Sendable () async throws -> Value
    private var steps: [Step] = []

    /// Makes a chain with one step.
    ///
    /// - Parameters:
    ///   - name: the name of the step in results; not a secret.
    ///   - operation: the operation of the first step.
    public init(_ name: String = "primary", _ operation: @escaping @Sendable () async throws -> Value) {
        self.name = name
        self.operation = operation
    }

    /// The chain with an additional last step.
    ///
    /// - Parameters:
    ///   - name: the name of the step in results; not a secret.
    ///   - condition: which errors of the step that ran before are replaced. A step whose condition does not
    ///     match is skipped. Defaults to errors of unavailable services.
    ///   - operation: the operation of the step.
    public func fallback(
        _ name: String, when condition: FallbackCondition = .unavailable,
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> FallbackChain {
        fallback(name, when: condition) { _ in try await operation() }
    }

    /// The chain with an additional last step, which receives the error of the step that ran before.
    public func fallback(
        _ name: String, when condition: FallbackCondition = .unavailable,
        _ operation: @escaping @Sendable (any Error) async throws -> Value
    ) -> FallbackChain {
        var chain = self
        chain.steps.append(Step(name: name, condition: condition, operation: operation))
        return chain
    }

    /// Runs the steps until one returns a value.
    ///
    /// - Throws: the error of the last step that ran.
    public func execute() async throws -> FallbackResult<Value> {
        var failures: [FallbackResult<Value>.Failure] = []
        var last: any Error
        do {
            return FallbackResult(value: try await operation(), step: name, failures: [])
        } catch {
            last = error
            failures.append(.init(step: name, error: error))
        }
        for step in steps where step.condition.matches(last) {
            guard !Task.isCancelled else { throw last }
            do {
                return FallbackResult(
                    value: try await step.operation(last), step: step.name, failures: failures)
            } catch {
                last = error
                failures.append(.init(step: step.name, error: error))
            }
        }
        throw last
    }
}

extension FallbackChain: Redacted {
    /// The names of the steps.
    public var description: String {
        "fallback chain: " + ([name] + steps.map(\.name)).joined(separator: ", ")
    }
}
