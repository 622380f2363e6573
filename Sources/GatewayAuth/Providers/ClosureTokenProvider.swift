/// A provider made of a function that gets a new token.
///
/// ```swift
/// let provider = ClosureTokenProvider { try await vault.read("gateway-token") }
/// ```
public struct ClosureTokenProvider: TokenProvider {
    private let refresh: @Sendable () async throws -> String

    /// Wraps a function. It is called for the first token and whenever a new one is needed, never twice at once.
    public init(_ refresh: @escaping @Sendable () async throws -> String) { self.refresh = refresh }

    /// `nil`: the function alone knows.
    public func currentToken() async throws -> String? { nil }

    /// A new token.
    public func refreshToken() async throws -> String { try await refresh() }
}
