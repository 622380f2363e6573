/// What an engine offers beside calls.
///
/// An engine above another one returns the services of that one, with what it changes itself:
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
    /// The clock that the deadlines of calls are counted on.
    public var clock: any GatewayClock
    /// The hosts that credentials may be sent to over plain HTTP.
    public var plainHTTP: PlainHTTPHosts
    /// The options of calls by their operation, below those of a call and above those of a client.
    public var operationOptions = OperationOptions()
    /// A separate transport for token requests: without authentication, retries and coalescing, and with its own
    /// connections; `nil` if token requests are calls of the engine. Why: a token can then be requested while calls occupy
    /// all connection slots.
    public var tokenTransport: (any Transport)?
    /// Whether a server that asks for a client's certificate gets one (RFC 8446 §4.4.2).
    public var showsClientCertificate = false
    /// The sink, for objects that are created for the engine and have events of their own.
    package var events: EventOutlet?

    /// The services of an engine without others: the system's clock, and no plain HTTP, by default.
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
