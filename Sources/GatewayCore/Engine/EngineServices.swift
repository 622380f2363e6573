/// The properties of an engine that the layers above it use.
///
/// An engine above another one returns the services of that engine, with its own changes:
/// ```swift
/// struct Audited<Below: RequestEngine>: RequestEngine {
///     let below: Below
///     var services: EngineServices { below.services }
///     func send(
///         _ request: HTTPRequest, context: consuming RequestContext
///     ) async throws(NetworkError) -> HTTPResponse { … }
/// }
/// ```
public struct EngineServices: Sendable {
    /// The clock of the calls' deadlines.
    public var clock: any GatewayClock
    /// The hosts that credentials may be sent to over plain HTTP.
    public var plainHTTP: PlainHTTPHosts
    /// The options by operation. Those of a call take precedence over them, and they over those of a client.
    public var operationOptions = OperationOptions()
    /// A separate transport for token requests: without authentication, retries and coalescing, and with separate
    /// connections; `nil` if token requests are calls of the engine. Why: a token can then be requested while calls
    /// occupy all connection slots.
    public var tokenTransport: (any Transport)?
    /// Whether a client certificate is sent to servers that request one (RFC 8446 §4.4.2).
    public var showsClientCertificate = false
    /// The credentials that the engine adds to calls without their own, by origin. A generated client uses them for the
    /// security schemes with tokens that it has no credential for.
    package var credentials: [Origin: any CredentialSource] = [:]
    /// The event sink, for objects of the engine that report events themselves.
    package var events: EventOutlet?
    /// The keepers of the engine's tokens, and what ends with it.
    package let parts = EngineParts()

    /// Creates services. Defaults to the system's clock and no plain HTTP.
    public init(clock: any GatewayClock = SystemClock(), plainHTTP: PlainHTTPHosts = .none) {
        self.clock = clock
        self.plainHTTP = plainHTTP
    }

    /// The same with another clock.
    package func with(clock: any GatewayClock) -> EngineServices {
        var services = self
        services.clock = clock
        return services
    }
}

extension EngineServices: Redacted {}
