public import GatewayAuth
public import GatewayCore
internal import GatewayCurl
public import GatewayResilience

/// A configuration from environment variables: the origins of calls, their credential, the transport, and limits of time.
///
/// ```swift
/// let environment = try GatewayEnvironment()
/// let engine = try environment.configuration().makeEngine()
/// ```
/// ``Variable/all`` lists the variables; <doc:Environment> has them as a table. All values are checked when the environment
/// is created, before anything is sent; a ``GatewayEnvironmentError`` reports everything that is wrong.
///
/// **Secrets** come from files (`GATEWAY_CLIENT_SECRET_FILE`) or from variables (`GATEWAY_CLIENT_SECRET`). Files are
/// better: variables are passed on to every child process and end up in dumps. Both at once is an error.
///
/// **Unknown names** that begin with `GATEWAY_`: a name that differs from a variable's by at most two letters is an error,
/// since a misspelt credential must not be left out silently. Any other is in ``unknownVariables``; it may belong to
/// another program. Variables that Kubernetes sets for services named `gateway…` are ignored.
///
/// **In code**: pass a dictionary, or change the configuration.
public struct GatewayEnvironment: Sendable {
    /// Creates the token store of a URL, with its password if there is one.
    public typealias StoreMaker = @Sendable (_ url: String, _ password: Secret?) throws -> any TokenStore

    /// Creates the store of a cache from what follows the name and the colon in `GATEWAY_CACHE`.
    public typealias CacheStoreMaker = @Sendable (_ place: String) throws -> any CacheStore

    /// The URL that relative URLs begin with.
    public let baseURL: ParsedURL?
    /// The origins that get the credential.
    public let origins: [Origin]
    /// The key of the token that calls carry; `nil` without a credential.
    public let tokenKey: TokenKey?
    /// The names of unknown variables that begin with `GATEWAY_`, sorted.
    public let unknownVariables: [String]

    /// The names of the variables that have a value.
    private let names: Set<String>
    /// The authorization server, for credentials in code.
    let endpoints: EnvironmentEndpoints?
    let credential: EnvironmentCredential?
    /// The tokens of the credential.
    let tokens: EnvironmentTokens?
    /// What all configurations have in common. Each has its own cache, gate, breakers and monitor.
    private let common: GatewayConfiguration
    private let circuitBreaker: CircuitBreakerPolicy?
    private let rateGate: RateGatePolicy?
    let cache: EnvironmentCache?
    private let network: EnvironmentNetwork
    /// The statuses besides 401 that reject a token.
    let rejectionStatuses: Set<Int>

    /// Reads variables.
    ///
    /// - Parameters:
    ///   - variables: names and values; by default the process's.
    ///   - stores: for `GATEWAY_TOKEN_STORE`, by the scheme of its URL, such as `redis`. Folders need none. See
    ///     <doc:Environment> for Redis.
    ///   - caches: for `GATEWAY_CACHE`, by the name before the colon: `["disk": DiskCacheStore.fromEnvironment]` with the
    ///     product GatewayDiskCache.
    ///   - requiresOrigins: whether a credential without `GATEWAY_BASE_URL` and `GATEWAY_ORIGINS` is an error; `false` for
    ///     programs that sign in or get tokens, and make no calls.
    ///   - requiresClient: whether the URLs of an authorization server without a client are an error; `false` for programs
    ///     whose credentials are in code, and take these URLs by `OAuthCredential.at(_:)`.
    ///   - onTokenEvent: receives events about tokens; must not block.
    /// - Throws: ``GatewayEnvironmentError`` with everything that is wrong.
    public init(
        _ variables: [String: String]? = nil, stores: [String: StoreMaker] = [:],
        caches: [String: CacheStoreMaker] = [:], requiresOrigins: Bool = true,
        requiresClient: Bool = true, onTokenEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) throws(GatewayEnvironmentError) {
        var reader = VariableReader(variables ?? ProcessEnvironment.variables)
        reader.requiresClient = requiresClient
        unknownVariables = reader.checkNames()
        var common = GatewayConfiguration()
        common.plainHTTP = reader.plainHTTPHosts()
        reader.plainHTTP = common.plainHTTP
        common.transport = reader.transport()
        common.transport.plainHTTP = common.plainHTTP
        baseURL = reader.baseURL()
        if let policy = reader.retryPolicy() { common.retry.policy = policy }
        if let budget = reader.retryBudget() { common.retry.budget = budget }
        names = reader.names
        let deadline: Duration?? = reader.value(.deadline) { text in
            text == "none" ? .some(nil) : DurationText.parse(text).map { .some($0) }
        }
        if let deadline { common.deadline = deadline }
        let tokenPatience: Duration? = reader.value(.tokenPatience) {
            $0 == "none" ? .zero : DurationText.parse($0)
        }
        circuitBreaker = reader.preset(
            .circuitBreaker,
            [
                "standard": .standard, "aggressive": .aggressive, "conservative": .conservative,
                "server": .server,
            ])
        rateGate = reader.preset(
            .rateGate,
            [
                "standard": .standard, "patient": .patient, "fail-fast": .failFast, "cautious": .cautious,
            ])
        common.protection.bulkhead = reader.value(.bulkhead, BulkheadText.parse).flatMap { $0 }
        common.protection.hedging = reader.preset(.hedging, ["standard": .standard])
        cache = reader.cache(caches)
        rejectionStatuses = reader.rejectionStatuses()
        origins = reader.origins(baseURL: baseURL)
        network = EnvironmentNetwork(&reader, origins: origins)
        common.networkAdaptation = network.adaptation
        credential = reader.credential(transport: common.transport, stores: stores)
        endpoints = reader.isSet(.token) || reader.isSet(.tokenFile) ? nil : reader.endpoints()
        self.common = common
        tokenKey = credential?.key
        tokens = credential.map { credential in
            EnvironmentTokens {
                var policy = TokenRefreshPolicy()
                if let tokenPatience { policy.outagePatience = tokenPatience }
                return TokenRefreshCoordinator(
                    acquirer: credential.acquirer, store: credential.store, policy: policy,
                    onEvent: onTokenEvent, account: { _ in credential.account })
            }
        }
        if requiresOrigins, reader.namesCredential, !reader.isSet(.baseURL), !reader.isSet(.origins) {
            reader.note(
                .missing, .origins,
                "required by the credential: this variable or \(VariableName.baseURL) names where it is sent")
        }
        if reader.namesCredential, let baseURL,
            !baseURL.origin.isSecureOrLoopback && !common.plainHTTP.covers(baseURL.origin)
        {
            reader.note(.invalidValue, .baseURL, Self.insecure)
        }
        guard reader.problems.isEmpty else { throw GatewayEnvironmentError(problems: reader.problems) }
    }

    static let insecure =
        "`https` is expected, or a host that GATEWAY_PLAIN_HTTP_HOSTS lists: credentials are not sent over plain HTTP "
        + "to another machine"

    /// Whether a variable has a value.
    package func isSet(_ name: String) -> Bool { names.contains(name) }

    /// The same error with the names of the variables that it is about, in place of properties of the libraries.
    ///
    /// Errors of the ``configuration()``'s tokens name them already.
    package func naming(_ error: NetworkError) -> NetworkError {
        credential?.hint?.apply(to: error) ?? error
    }

    /// The configuration that the variables describe. Clients over its engine need no credential of their own.
    ///
    /// All configurations of an environment share its tokens; each has its own cache, breakers and limits: create one and
    /// share its engine.
    public func configuration() -> GatewayConfiguration {
        var configuration = common
        configuration.cache = cache?.make()
        let network = network.monitor(of: origins, over: common.transport)
        configuration.network = network
        configuration.protection.circuitBreakers = circuitBreaker.map {
            CircuitBreakerRegistry(preset: $0, network: network ?? AlwaysOnline())
        }
        configuration.protection.rateGate = rateGate.map { RateGate(preset: $0) }
        if let credential, let tokens {
            configuration.tokenTransport = credential.transport
            var scope = CredentialScope(origins, key: credential.key)
            for origin in origins { scope.rejectionStatuses[origin] = rejectionStatuses }
            configuration.authentication = GatewayConfiguration.Authentication(
                coordinator: tokens.coordinator, scope: scope)
        }
        return configuration
    }
}
