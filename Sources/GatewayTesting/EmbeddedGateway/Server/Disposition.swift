/// What the server does with a request next.
enum Disposition: Sendable {
    /// Answers it.
    case reply(EmbeddedGateway.Reply)
    /// Announces all of the answer's content, sends that many bytes of it and breaks the connection.
    case torn(EmbeddedGateway.Reply, afterBytes: Int)
    /// Closes the connection without a byte: in order, or by a reset (RST).
    case close(reset: Bool)
    /// Sets the request aside, holding no thread. Whoever gets the ``Resumption`` says later what to do.
    case wait(@Sendable (Resumption) -> Void)
}
