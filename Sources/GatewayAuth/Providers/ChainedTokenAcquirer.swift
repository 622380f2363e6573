import GatewayCore

/// Uses the first of several acquirers whose credential is configured, for example a workload identity in the cluster,
/// or an environment variable in CI.
///
/// ```swift
/// let chain = ChainedTokenAcquirer([
///     ProviderAcquirer(FileTokenProvider(path: "/var/run/secrets/tokens/gateway", isOptional: true)),
///     ProviderAcquirer(EnvironmentTokenProvider(variable: "GATEWAY_TOKEN")),
///     ClientCredentials(endpoint: endpoint),
/// ])
/// ```
/// An acquirer without credential throws the code `credentialMissing`; then the next one is called. Any other error is
/// a failure of an existing credential and is thrown. Why: otherwise another identity would be used whenever a server
/// is unavailable. Each call starts with the first acquirer again.
///
/// A chain does not revoke grants: the issuer of a grant is not known, and a token must not be sent to another server.
public struct ChainedTokenAcquirer: TokenAcquirer {
    private let acquirers: [any TokenAcquirer]

    /// Creates a chain of acquirers, in order.
    public init(_ acquirers: [any TokenAcquirer]) { self.acquirers = acquirers }

    /// Whether all acquirers support step-up.
    public var canStepUp: Bool { acquirers.allSatisfy(\.canStepUp) }

    /// Whether a request of any of the acquirers is single-use.
    public func isSingleUse(after previous: TokenGrant?) -> Bool {
        acquirers.contains { $0.isSingleUse(after: previous) }
    }

    /// The first binding in the chain. All bindings in a chain must be the same object.
    public var binding: DPoPBinding? { acquirers.lazy.compactMap(\.binding).first }

    /// Requests a grant from the first acquirer that has a credential.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMissing` if none has a credential, or the error
    ///   of the first acquirer that has one.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        let bindings = acquirers.compactMap(\.binding)
        guard bindings.allSatisfy({ $0 === bindings.first }) else {
            throw NetworkError(
                .credentialMisconfigured, "All acquirers of a chain must have the same DPoP binding.")
        }
        for acquirer in acquirers {
            do { return try await acquirer.acquire(request) } catch NetworkError.credentialMissing {
                continue
            }
        }
        throw NetworkError(.credentialMissing, "None of the credentials of the chain is configured.")
    }
}
