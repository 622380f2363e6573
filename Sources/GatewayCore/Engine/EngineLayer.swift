/// An engine above another one, which it does not hide: what the other offers beside calls (its clock and options, its
/// transport for tokens, its events, whether it shows a client certificate) is found through the layers above it.
///
/// ```swift
/// struct Audited<Below: RequestEngine>: EngineLayer {
///     let below: Below
///     var engineBelow: any RequestEngine { below }
///     func send(
///         _ request: HTTPRequest, context: consuming RequestContext
///     ) async throws(NetworkError) -> HTTPResponse { … }
/// }
/// ```
public protocol EngineLayer: RequestEngine {
    /// The engine that the calls go on to.
    var engineBelow: any RequestEngine { get }
}

extension EngineLayer {
    /// The clock of the engine below.
    public var clock: any GatewayClock { engineBelow.clock }
    /// Those of the engine below.
    public var plainHTTP: PlainHTTPHosts { engineBelow.plainHTTP }
    /// Those of the engine below.
    public var operationOptions: OperationOptions { engineBelow.operationOptions }
}

extension RequestEngine {
    /// What an engine offers beside calls: itself, or else the first engine below it that offers that.
    package func offer<Offer>(_ kind: Offer.Type) -> Offer? {
        if let offer = self as? Offer { return offer }
        return (self as? any EngineLayer)?.engineBelow.offer(kind)
    }
}
