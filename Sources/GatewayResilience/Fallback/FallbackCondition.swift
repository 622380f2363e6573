public import GatewayCore

/// The errors that a step of a ``FallbackChain`` replaces. A cancelled call is never replaced.
public struct FallbackCondition: Sendable {
    private let accepts: @Sendable (any Error) -> Bool

    /// Makes a condition.
    ///
    /// - Parameter accepts: whether the step replaces an error; must not block.
    public init(_ accepts: @escaping @Sendable (any Error) -> Bool) { self.accepts = accepts }

    /// Every error.
    public static let any = FallbackCondition { _ in true }

    /// Errors of services that are currently unavailable: transient errors, such as timeouts, lost
    /// connections, 429, 500, 502, 503 and 504, and local rejections, such as an open circuit or a full
    /// queue. It does not match errors of the request (400, 404, 422), of credentials and of the program,
    /// nor errors that are not a ``GatewayCore/GatewayCallError``.
    public static let unavailable = FallbackCondition { error in
        guard let error = error as? any GatewayCallError else { return false }
        return error.code.isTransient || error.isLocalRejection || error.category == .transient
    }

    /// Errors with one of these codes.
    public static func codes(_ codes: Set<NetworkError.Code>) -> FallbackCondition {
        FallbackCondition { error in
            (error as? any GatewayCallError).map { codes.contains($0.code) } ?? false
        }
    }

    /// Whether an error is replaced.
    public func matches(_ error: any Error) -> Bool {
        guard !(error is CancellationError), (error as? any GatewayCallError)?.code != .cancelled else {
            return false
        }
        return accepts(error)
    }
}

extension FallbackCondition: Redacted {}
