/// Sends a request in exactly one exchange.
///
/// Every status is a response, never an error. A transport adds only framing to the request, follows no redirect, and
/// never sends a request twice.
public protocol Transport: Sendable {
    /// Sends the request and returns the response.
    ///
    /// Cancelling the task ends the exchange promptly with ``NetworkError/cancelled``; a task that is already cancelled
    /// sends nothing.
    ///
    /// - Throws: ``NetworkError`` with ``NetworkError/attempts`` 1 if a connection was opened or used for the request,
    ///   otherwise 0.
    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse

    /// Closes idle connections, for example after a change of the network.
    func dropIdleConnections()

    /// Ends every exchange with ``NetworkError/closed`` and closes all connections. Later requests fail with the same
    /// code.
    func shutdown() async

    /// The connections and waiting requests at this moment.
    func statistics() async -> TransportStatistics

    /// The connection slots, for engines that add the credential when the request has one; ``send(_:context:)`` takes
    /// one itself. `nil`, the default, if the transport has none. Read once by each engine.
    var slots: TransportSlots? { get }

    /// Whether a client certificate is sent to servers that request one (RFC 8446 §4.4.2). `false` by default.
    var showsClientCertificate: Bool { get }
}

extension Transport {
    /// Does nothing: for transports that keep no connections.
    public func dropIdleConnections() {}
    /// Does nothing: for transports that keep nothing.
    public func shutdown() async {}
    /// Empty: for transports that keep no statistics.
    public func statistics() async -> TransportStatistics { TransportStatistics() }
    /// `nil`: for transports without limits.
    public var slots: TransportSlots? { nil }
    /// `false`: for transports without a client certificate.
    public var showsClientCertificate: Bool { false }
}
