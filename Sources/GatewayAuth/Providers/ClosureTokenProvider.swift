/// A provider made of a function that gets a new token.
///
/// ```swift
/// let provider = ClosureTokenProvider { try await vault.read("gateway-token") }
/// ```
public struct ClosureTokenProvider: TokenProvider {
    private let refresh: @Sendable () async throws -> String
    /// Whether the function uses something up that can be used only once.
    public let isSingleUse: Bool

    /// Wraps a function. It is called for the first token and whenever a new one is needed. A call that takes longer
    /// than ``TokenRefreshPolicy/timeout`` is given up, and another may follow.
    ///
    /// - Parameters:
    ///   - isSingleUse: whether the function uses something up that can be used only once, such as a refresh token. Then
    ///     a call goes on until ``TokenRefreshPolicy/exchangeTimeout``, and no other begins before.
    ///   - refresh: gets a new token.
    public init(isSingleUse: Bool = false, _ refresh: @escaping @Sendable () async throws -> String) {
        self.isSingleUse = isSingleUse
        self.refresh = refresh
    }

    /// `nil`: the function alone knows.
    public func currentToken() async throws -> String? { nil }

    /// A new token.
    public func refreshToken() async throws -> String { try await refresh() }
}
