public import GatewayCore

/// The server, credentials, default options and engine that all groups of a generated client share.
@_spi(Generated) public final class APIClient: Sendable {
    let server: ServerChoice
    let base: Result<ServerBase, NetworkError>
    let defaults: CallOptions
    let engine: any RequestEngine
    /// The services of the engine.
    let services: EngineServices
    /// Default maximum size of a response body, in bytes.
    let responseLimit = 64 << 20

    private let security: SecurityResolver
    let random: any RandomSource

    /// Creates a client. If the server URL is invalid, every call fails before any I/O.
    public convenience init(
        server: ServerChoice, credentials: ConfiguredCredentials, defaults: CallOptions,
        engine: any RequestEngine
    ) {
        self.init(
            server: server, credentials: credentials, defaults: defaults, engine: engine,
            random: SystemRandomSource())
    }

    convenience init(
        server: String, credentials: ConfiguredCredentials, defaults: CallOptions, engine: any RequestEngine
    ) {
        self.init(
            server: ServerChoice(url: server), credentials: credentials, defaults: defaults, engine: engine)
    }

    init(
        server: ServerChoice, credentials: ConfiguredCredentials, defaults: CallOptions,
        engine: any RequestEngine, random: any RandomSource
    ) {
        self.server = server
        let base = Result { () throws(NetworkError) in try ServerBase(server.url) }
        self.base = base
        security = SecurityResolver(credentials, engine: engine, server: try? base.get().origin)
        self.defaults = defaults
        self.engine = engine
        services = engine.services
        self.random = random
    }

    /// The credentials of an operation; `nil` if it is called without credentials.
    ///
    /// - Throws: `credentialMissing`, `insecureOrigin` or `credentialMisconfigured`, all before any I/O.
    func credentials(
        for operation: OperationDescriptor, at origin: Origin
    ) throws(NetworkError) -> (any CredentialSource)? {
        try security.credentials(operation.security, operation: operation.id, origin: origin)
    }

    /// Records a call that fails before it reaches the engine.
    func recordRefusal(_ error: NetworkError, of operation: OperationDescriptor, _ options: CallOptions) {
        guard let events = services.events else { return }
        RequestContext(options: options, operation: operation.operation, clock: services.clock)
            .recordRefusal(error, of: operation.method, at: try? base.get().origin, to: events.sink)
    }

    /// Returns a new random idempotency key.
    func newIdempotencyKey(_ form: IdempotencyKeyForm = .hexadecimal) -> String { form.key(random) }
}
