/// Exactly one exchange on the wire.
///
/// Every status is a response, never an error. A transport adds nothing to the request but framing, follows no
/// redirect and never sends twice by itself.
public protocol Transport: Sendable {
    /// Sends the request and gives the answer.
    ///
    /// Cancelling the task ends the exchange promptly with ``NetworkError/cancelled``; a task that is cancelled
    /// already sends nothing.
    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse

    /// Closes connections that carry nothing, as after a change of the network.
    func dropIdleConnections()
}

extension Transport {
    /// Does nothing: for transports that keep no connections.
    public func dropIdleConnections() {}
}
