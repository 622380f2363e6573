import GatewayCore

/// The first of several acquirers that there is a credential for here: a workload's identity in the cluster, an
/// environment variable in the pipeline, say.
///
/// ```swift
/// let chain = ChainedTokenAcquirer([
///     ProviderAcquirer(FileTokenProvider(path: "/var/run/secrets/tokens/gateway", isOptional: true)),
///     ProviderAcquirer(EnvironmentTokenProvider(variable: "GATEWAY_TOKEN")),
///     ClientCredentials(endpoint: endpoint),
/// ])
/// ```
/// An acquirer says that there is none for it by throwing the code `credentialMissing`; then the next is asked. Any
/// other error is a failure of the credential that is there, and ends the attempt: falling through would go on under
/// another name whenever a server is down. The order is gone through anew each time.
///
/// A chain takes no grant back: nobody can tell whose it was, and a token is not shown to a server that did not issue it.
public struct ChainedTokenAcquirer: TokenAcquirer {
    private let acquirers: [any TokenAcquirer]

    /// Puts acquirers in order.
    public init(_ acquirers: [any TokenAcquirer]) { self.acquirers = acquirers }

    /// `true` where all can.
    public var canStepUp: Bool { acquirers.allSatisfy(\.canStepUp) }

    /// `true` where one of them says so.
    public func isSingleUse(after previous: TokenGrant?) -> Bool {
        acquirers.contains { $0.isSingleUse(after: previous) }
    }

    /// The first one's that has any. All bound tokens of a chain are bound by it.
    public var binding: DPoPBinding? { acquirers.lazy.compactMap(\.binding).first }

    /// Gets a grant from the first that has a credential.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMissing` where none has; else what the first
    ///   that has one throws.
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
