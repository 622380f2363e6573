/// A provider that gets tokens from a function.
///
/// ```swift
/// let provider = ClosureTokenProvider { try await vault.read("gateway-token") }
/// ```
public struct ClosureTokenProvider: TokenProvider {
    private let refresh: @Sendable () async throws -> String
    /// Whether a call of the function uses up something, such as a refresh token.
    public let isSingleUse: Bool

    /// Creates a provider from a function. The function is called for the first token and whenever a new one is needed.
    /// A call that takes longer than ``TokenRefreshPolicy/timeout`` is cancelled, and another may follow.
    ///
    /// - Parameters:
    ///   - isSingleUse: whether a call uses up something that can be used only once, such as a refresh token. Then a
    ///     call may take until ``TokenRefreshPolicy/exchangeTimeout``, and no other call starts before it ends.
    ///   - refresh: returns a new token.
    public init(isSingleUse: Bool = false, _ refresh: @escaping @Sendable () async throws -> String) {
        self.isSingleUse = isSingleUse
        self.refresh = refresh
    }

    /// Always `nil`: every token comes from the function.
    public func currentToken() async throws -> String? { nil }

    /// Returns a new token.
    public func refreshToken() async throws -> String { try await refresh() }
}
