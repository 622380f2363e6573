public import GatewayCore

/// A feature with a full result, and a degraded one for when a service that it needs is unavailable.
///
/// ```swift
/// let suggestions = DegradableFeature(breaker: breaker) {
///     try await client.suggestions.list(for: user)
/// } degraded: { _ in
///     Suggestions.popular
/// }
/// switch try await suggestions.execute() {
/// case .full(let list): show(list)
/// case .degraded(let list, _): show(list, note: "These are not for you alone.")
/// }
/// ```
/// With a circuit breaker, the result is degraded without a call while the circuit is open.
public struct DegradableFeature<Full: Sendable, Degraded: Sendable>: Sendable {
    /// The result of a feature.
    public enum Outcome: Sendable {
        /// The full result.
        case full(Full)
        /// The degraded result, and the error of the full one.
        case degraded(Degraded, because: any Error)
    }

    private let breaker: CircuitBreaker?
    private let condition: FallbackCondition
    private let full: @Sendable () async throws -> Full
    private let degraded: @Sendable (any Error) async throws -> Degraded

    /// Makes a feature.
    ///
    /// - Parameters:
    ///   - breaker: guards the full result; `nil` for none. A breaker of the engine may be shared.
    ///   - condition: which errors degrade the feature; others are thrown. Defaults to errors of unavailable
    ///     services.
    ///   - full: returns the full result.
    ///   - degraded: returns the degraded result; receives the error of the full one.
    public init(
        breaker: CircuitBreaker? = nil, when condition: FallbackCondition = .unavailable,
        full: @escaping @Sendable () async throws -> Full,
        degraded: @escaping @Sendable (any Error) async throws -> Degraded
    ) {
        self.breaker = breaker
        self.condition = condition
        self.full = full
        self.degraded = degraded
    }

    /// Returns the full result, or the degraded one.
    ///
    /// - Throws: an error of the full result that does not match the condition, or the error of the degraded one. A
    ///   cancelled call is not degraded.
    public func execute() async throws -> Outcome {
        do {
            return .full(try await attempt())
        } catch {
            guard condition.matches(error), !Task.isCancelled else { throw error }
            return .degraded(try await degraded(error), because: error)
        }
    }

    private func attempt() async throws -> Full {
        guard let breaker else { return try await full() }
        return try await breaker.execute(isolation: nil, full)
    }
}

extension DegradableFeature: Redacted {}

extension DegradableFeature.Outcome: Redacted {
    /// The case only, without values and errors.
    public var description: String {
        switch self {
        case .full: "full"
        case .degraded: "degraded"
        }
    }
}
