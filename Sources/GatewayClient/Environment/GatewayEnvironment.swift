public import GatewayAuth
public import GatewayCore
internal import GatewayCurl
internal import GatewayResilience

/// A configuration from environment variables: whom calls go to, by which credential, over which way, and in what time.
///
/// ```swift
/// let environment = try GatewayEnvironment()
/// let engine = environment.configuration().makeEngine()
/// ```
/// The variables stand in ``Variable/all``; <doc:Environment> has them as a table. What each holds is checked when the
/// environment is made, before anything is sent; whatever is wrong is told at once in a ``GatewayEnvironmentError``.
///
/// **Secrets** come from files (`GATEWAY_CLIENT_SECRET_FILE`) or from variables (`GATEWAY_CLIENT_SECRET`). Files are
/// better: variables are passed on to every child process and end up in dumps. Both at once is an error.
///
/// **Unknown names** that begin with `GATEWAY_`: one that is at most two letters from a name that there is, is an
/// error, since a credential that is misspelt must not be left out silently. Any other stands in
/// ``unknownVariables``; it may belong to somebody else. What Kubernetes sets for services named `gateway…` is neither.
///
/// **In code** everything can be had as well: give a dictionary of your own, or change the configuration that comes out.
public struct GatewayEnvironment: Sendable {
    /// Makes the token store that a URL of a certain scheme names, with what opens it, where that is told.
    public typealias StoreMaker = @Sendable (_ url: String, _ password: Secret?) throws -> any TokenStore

    /// What relative URLs begin with.
    public let baseURL: ParsedURL?
    /// The origins that get the credential.
    public let origins: [Origin]
    /// Which token calls carry; `nil` where there is no credential, and calls go without one.
    public let tokenKey: TokenKey?
    /// The names of variables that begin with `GATEWAY_` and mean nothing here, sorted.
    public let unknownVariables: [String]

    private let credential: EnvironmentCredential?
    private let transport: CurlConfiguration
    private let plainHTTP: PlainHTTPHosts
    private let retries: Int?
    private let deadline: Duration??
    private let tokenPatience: Duration

    /// Reads variables.
    ///
    /// - Parameters:
    ///   - variables: names and values; by default the process's.
    ///   - stores: for `GATEWAY_TOKEN_STORE`, by the scheme of its URL, such as `redis`. Folders need none. See
    ///     <doc:Environment> for how to have Redis.
    /// - Throws: ``GatewayEnvironmentError`` with all that is wrong.
    public init(
        _ variables: [String: String]? = nil, stores: [String: StoreMaker] = [:]
    ) throws(GatewayEnvironmentError) {
        var reader = VariableReader(variables ?? ProcessEnvironment.variables)
        unknownVariables = reader.checkNames()
        transport = reader.transport()
        plainHTTP = reader.plainHTTPHosts()
        reader.plainHTTP = plainHTTP
        baseURL = reader.value(.baseURL) { text in
            (try? ParsedURL(text)).flatMap { $0.target.contains("?") ? nil : $0 }
        }
        retries = reader.value(.retries) { text in Int(text).flatMap { (0...100).contains($0) ? $0 : nil } }
        deadline = reader.value(.deadline) { text in
            text == "none" ? .some(nil) : DurationText.parse(text).map { .some($0) }
        }
        tokenPatience = reader.duration(.tokenPatience) ?? .zero
        origins = reader.origins(baseURL: baseURL)
        credential = reader.credential(transport: transport, stores: stores)
        tokenKey = credential?.key
        if reader.namesCredential, !reader.isSet(.baseURL), !reader.isSet(.origins) {
            reader.note(
                .missing, .origins,
                "there is a credential: this variable, or \(VariableName.baseURL), says whom it goes to")
        }
        if reader.namesCredential, let baseURL,
            !baseURL.origin.isSecureOrLoopback && !plainHTTP.covers(baseURL.origin)
        {
            reader.note(.invalidValue, .baseURL, Self.insecure)
        }
        guard reader.problems.isEmpty else { throw GatewayEnvironmentError(problems: reader.problems) }
    }

    /// Where somebody signs in by another device, where `GATEWAY_GRANT` says so; what it brings is for
    /// ``GatewayAuth/TokenRefreshCoordinator/signIn(_:with:)``, with ``tokenKey``.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` where the issuer's endpoints cannot be found.
    public func deviceAuthorization() async throws(NetworkError) -> DeviceAuthorization? {
        guard let client = credential?.login else { return nil }
        return DeviceAuthorization(endpoint: try await client.endpoint())
    }

    static let insecure =
        "`https` is expected, or a host that GATEWAY_PLAIN_HTTP_HOSTS lists: credentials are not sent over plain HTTP "
        + "to another machine"

    /// The configuration that the variables describe. Each has tokens of its own: make one and share its engine.
    ///
    /// - Parameter onTokenEvent: hears of what happens to tokens; must not block.
    public func configuration(
        onTokenEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.transport = transport
        configuration.plainHTTP = plainHTTP
        if let retries { configuration.retry = .attempts(retries + 1) }
        if let deadline { configuration.deadline = deadline }
        if let credential {
            configuration.tokenTransport = credential.transport
            var policy = TokenRefreshPolicy()
            policy.outagePatience = tokenPatience
            configuration.authentication = GatewayConfiguration.Authentication(
                coordinator: TokenRefreshCoordinator(
                    acquirer: credential.acquirer, store: credential.store, policy: policy,
                    onEvent: onTokenEvent),
                scope: CredentialScope(origins, key: credential.key))
        }
        return configuration
    }
}
