public import GatewayCore

/// The server, credentials, default options and engine that all groups of a generated client share.
@_spi(Generated) public final class APIClient: Sendable {
    let server: ServerChoice
    let base: Result<ServerBase, NetworkError>
    let defaults: CallOptions
    let engine: any RequestEngine
    /// Whether the engine was made for this client, which shuts it down.
    private let ownsEngine: Bool
    /// The middleware of all calls; `nil` if there is none.
    let middleware: MiddlewareChain?
    /// The services of the engine.
    let services: EngineServices
    /// Default maximum size of a response body, in bytes.
    let responseLimit = 64 << 20

    private let security: SecurityResolver
    let random: any RandomSource

    /// Creates a client. If the server URL is invalid, every call fails before any I/O.
    ///
    /// - Parameter ownsEngine: whether the engine was made for this client.
    public convenience init(
        server: ServerChoice, credentials: ConfiguredCredentials, defaults: CallOptions,
        middleware: MiddlewareChain = MiddlewareChain(), engine: any RequestEngine, ownsEngine: Bool = false
    ) {
        self.init(
            server: server, credentials: credentials, defaults: defaults, middleware: middleware,
            engine: engine, ownsEngine: ownsEngine, random: SystemRandomSource())
    }

    convenience init(
        server: String, credentials: ConfiguredCredentials, defaults: CallOptions, engine: any RequestEngine
    ) {
        self.init(
            server: ServerChoice(url: server), credentials: credentials, defaults: defaults, engine: engine)
    }

    init(
        server: ServerChoice, credentials: ConfiguredCredentials, defaults: CallOptions,
        middleware: MiddlewareChain = MiddlewareChain(), engine: any RequestEngine, ownsEngine: Bool = false,
        random: any RandomSource
    ) {
        self.server = server
        let base = Result { () throws(NetworkError) in try ServerBase(server.url) }
        self.base = base
        security = SecurityResolver(credentials, engine: engine, server: try? base.get().origin)
        self.defaults = defaults
        self.engine = engine
        self.ownsEngine = ownsEngine
        self.middleware = middleware.members.isEmpty ? nil : middleware
        services = engine.services
        self.random = random
    }

    /// Gets the tokens for some requirements, unless there are usable ones. Those that the client has no credentials for are
    /// left out.
    ///
    /// - Parameter requirements: in the notation of ``OperationDescriptor``.
    /// - Throws: the first error. The other tokens are requested all the same.
    public func warmUp(
        _ requirements: [StaticString], within limit: Duration
    ) async throws(NetworkError) {
        let origin = try base.get().origin
        var sources: [any CredentialSource] = []
        for requirement in requirements {
            do throws(NetworkError) {
                let answer = try security.answer(to: requirement, operation: "warmUp", origin: origin)
                if let source = answer?.source { sources.append(source) }
            } catch {
                guard error.code == .credentialMissing else { throw error }
            }
        }
        let deadline = Deadline.after(limit, clock: services.clock)
        let errors = await withTaskGroup(of: NetworkError?.self) { group in
            for source in sources {
                group.addTask { [parts = services.parts] in
                    do throws(NetworkError) {
                        try await parts.waiting("the warm-up waited for a token") {
                            () async throws(NetworkError) in
                            try await source.ready(atLeast: 0, deadline: deadline)
                        }
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [NetworkError]()) { if let error = $1 { $0.append(error) } }
        }
        if let error = errors.first { throw error }
    }

    /// Shuts down the engine if it was made for this client; see ``GatewayCore/EnginePart/end(until:)``.
    public func shutdown(within limit: Duration) async {
        guard ownsEngine, let engine = engine as? any EnginePart else { return }
        await engine.end(until: .after(limit, clock: services.clock))
    }

    /// Sets the credentials of an operation.
    ///
    /// - Throws: `credentialMissing`, `insecureOrigin` or `credentialMisconfigured`, all before any I/O.
    func authorize(
        _ context: inout RequestContext, for operation: OperationDescriptor, at origin: Origin
    ) throws(NetworkError) {
        let answer = try security.answer(to: operation.security, operation: operation.id, origin: origin)
        guard let answer else { return }
        context.credentials = answer.source
        context.isAnonymous = context.credentials == nil
    }

    /// Whether an operation is called without a credential, also by a queue or another engine.
    func isAnonymous(_ operation: OperationDescriptor) -> Bool { security.isAnonymous(operation.security) }

    /// Records a call that fails before it reaches the engine.
    ///
    /// - Returns: the ID of the call.
    func recordRefusal(
        _ error: NetworkError, of operation: OperationDescriptor, _ options: CallOptions
    ) -> UInt64 {
        let context = RequestContext(
            options: options, operation: operation.operation, clock: services.clock)
        if let events = services.events {
            context.recordRefusal(
                error, of: operation.method, at: try? base.get().origin, to: events.sink)
        }
        return context.callID
    }

    /// Shows the error of a call to the middleware, unless the call is only prepared.
    func show<Failure>(_ error: APIError<Failure>, of call: MiddlewareCall) {
        guard let middleware, CallInterception.current?.isDecoding ?? true else { return }
        middleware.didFail(error, of: call)
    }

    /// Returns a new random idempotency key.
    func newIdempotencyKey(_ form: IdempotencyKeyForm = .hexadecimal) -> String { form.key(random) }
}
