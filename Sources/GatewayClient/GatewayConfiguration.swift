public import GatewayCore
public import GatewayCurl
public import GatewayResilience

/// How a ``GatewayEngine`` behaves: its transport, its tokens, and all that an
/// ``GatewayResilience/AsyncRequestEngine/Configuration`` has. The defaults serve from service to service.
///
/// ```swift
/// var configuration = GatewayConfiguration()
/// configuration.transport.timeouts = .server
/// configuration.retry.policy = .attempts(4)
/// let engine = try configuration.makeEngine()
/// ```
@dynamicMemberLookup
public struct GatewayConfiguration: Sendable {
    /// Connections, time limits of each attempt, TLS.
    public var transport = CurlConfiguration()
    /// The credential of calls without their own: those by hand, those of an offline queue, and those of generated clients
    /// that have no credential for a scheme with tokens.
    ///
    /// ```swift
    /// let credential = OAuthCredential.clientCredentials(
    ///     id: "my-service", secret: .file("/run/secrets/client")
    /// ).at(tokenURL: "https://login.example.com/token")
    /// configuration.authentication = try .init(credential, origins: ["https://api.example.com"])
    /// ```
    public var authentication: Authentication?
    /// The other layers. Their properties are those of this configuration, too.
    public var layers = AsyncRequestEngine.Configuration()
    /// Makes the exchanges with token endpoints; `nil` for one over connections of its own.
    var tokenTransport: TokenTransport?

    /// The defaults.
    public init() {}

    /// A property of ``layers``.
    public subscript<Value>(
        dynamicMember property: WritableKeyPath<AsyncRequestEngine.Configuration, Value>
    ) -> Value {
        get { layers[keyPath: property] }
        set { layers[keyPath: property] = newValue }
    }

    /// Checks the values, as ``makeEngine()`` does.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.check("transport", transport.validate)
        try NetworkError.check("transport.timeouts", transport.timeouts.validate)
        try validateLayers()
    }

    /// Checks all but ``transport``.
    func validateLayers() throws(NetworkError) {
        try NetworkError.check(
            "authentication.coordinator.policy", authentication?.coordinator?.policy.validate)
        try layers.validate()
    }

    /// Makes an engine with connections of its own. Make one and share it.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured` if a value is impossible, such as a retry policy
    ///   without attempts. It names the property. ``authentication`` may have the errors of its credential, such as
    ///   `credentialMisconfigured` without a token endpoint.
    public func makeEngine() throws(NetworkError) -> GatewayEngine {
        try validate()
        let engine = GatewayEngine(configuration: self)
        if let problem = engine.problem { throw problem }
        return engine
    }
}
