/// The next action of the server for a request.
enum Disposition: Sendable {
    /// Send a response.
    case reply(EmbeddedGateway.Reply)
    /// Announce the whole content, send this number of bytes of it and close the connection.
    case torn(EmbeddedGateway.Reply, afterBytes: Int)
    /// Close the connection without a response, optionally with a reset (RST).
    case close(reset: Bool)
    /// Suspend the request without blocking a thread. The owner of the ``Resumption`` continues it later.
    case wait(@Sendable (Resumption) -> Void)
}
